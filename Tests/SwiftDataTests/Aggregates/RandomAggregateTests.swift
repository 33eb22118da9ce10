import SwiftData
import SwiftDataExtras
import Testing

/// Before a save, aggregates are computed from models, afterwards by SQL: the results must be
/// equal.
@Suite("Random aggregates")
struct RandomAggregateTests {
  @Test("are the same of unsaved models and of saved rows", arguments: 0..<StoreKind.rounds(40))
  func paths(seed: UInt64) throws {
    var generator = Xorshift(state: seed * 2 + 1)
    let container = try memoryContainer(Gauge.self, Basin.self)
    let first = ModelContext(container)
    let basins = (0..<4).map { Basin("b\($0)", area: Double($0) / 8) }
    for basin in basins { first.insert(basin) }
    for _ in 0..<30 { first.insert(Gauge.random(basins, using: &generator)) }
    try first.save()

    let context = ModelContext(container)
    let gauges = try context.fetch(FetchDescriptor<Gauge>())
    let stored = try context.fetch(FetchDescriptor<Basin>(sortBy: [SortDescriptor(\.name)]))
    for gauge in gauges where Bool.random(using: &generator) {
      if Bool.random(using: &generator) { context.delete(gauge) } else { gauge.count += 0 }
    }
    for _ in 0..<10 { context.insert(Gauge.random(stored, using: &generator)) }
    let bound = Double(Int.random(in: -8...8, using: &generator))
    let predicates: [Predicate<Gauge>?] = [
      nil, #Predicate { $0.level >= bound }, #Predicate { $0.basin?.name != "b1" && $0.isOpen },
    ]
    let before = try predicates.map { try summary(context, $0) }
    try context.save()
    let after = try predicates.map { try summary(ModelContext(container), $0) }
    #expect(before == after)
  }

  /// Returns the results of all aggregates, as text.
  private func summary(_ context: ModelContext, _ predicate: Predicate<Gauge>?) throws -> [String] {
    var lines: [String] = []
    func note(_ values: Any) { lines.append("\(values)") }
    func failing(_ body: () throws -> Any) {
      do { note(try body()) } catch { note(error) }
    }
    note(
      try context.aggregate(
        Gauge.self, .count, .count(\.depth), .count(\.basin), .sum(\.small), where: predicate))
    note(
      try context.aggregate(
        Gauge.self, .sum(\.level), .sum(\.depth), .sum(\.price), where: predicate))
    note(
      try context.aggregate(
        Gauge.self, .average(\.count), .average(\.large), .average(\.depth), where: predicate))
    note(try context.average(of: \Gauge.price, where: predicate) as Any)
    note(
      try context.aggregate(
        Gauge.self, .sum(\Gauge.basin?.area), .sum(\.datum.height), where: predicate))
    failing { try context.sum(of: \Gauge.count, where: predicate) }
    failing { try context.sum(of: \Gauge.large, where: predicate) }
    note(
      try context.aggregate(
        Gauge.self, .minimum(\.count), .maximum(\.count), .minimum(\.level), where: predicate))
    note(
      try context.aggregate(
        Gauge.self, .minimum(\.depth), .maximum(\.large), .minimum(\.price), where: predicate))
    note(
      try context.aggregate(
        Gauge.self, .minimum(\.time), .maximum(\.datum.height), where: predicate))
    note(try context.aggregate(Gauge.self, .minimum(\.alarm), .maximum(\.grade), where: predicate))
    let (least, most) = try context.aggregate(
      Gauge.self, .minimum(\.note), .maximum(\.name), where: predicate)
    note([least, most].map { $0?.precomposedStringWithCanonicalMapping })
    func groups<Key: Hashable>(_ key: KeyPath<Gauge, Key>) throws {
      for group in try context.groups(
        of: Gauge.self, by: key, .count, .sum(\.small), .maximum(\.time), where: predicate)
      {
        note((Self.text(group.key), group.values))
      }
    }
    try groups(\.alarm)
    try groups(\.grade)
    try groups(\.note)
    try groups(\.isOpen)
    try groups(\.level)
    try groups(\.depth)
    try groups(\.price)
    try groups(\.large)
    try groups(\.time)
    try groups(\.datum.name)
    try groups(\.basin?.name)
    for group in try context.groups(of: Gauge.self, by: \.basin, .count, where: predicate) {
      note((group.key?.name as Any, group.values))
    }
    return lines
  }

  private static func text(_ key: some Hashable) -> String {
    "\(key)".precomposedStringWithCanonicalMapping
  }
}

private struct Xorshift: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
