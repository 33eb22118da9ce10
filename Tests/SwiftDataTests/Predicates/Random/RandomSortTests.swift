import SwiftData
import SwiftDataCore
import Testing

@Suite("Random orders are the same in the store and in memory")
struct RandomSortTests {
  /// One key for each kind of value and each kind of key path.
  private static let keys: [@Sendable (SortOrder) -> SortDescriptor<Creature>] = [
    { SortDescriptor(\.name, order: $0) },
    { SortDescriptor(\.name, comparator: .lexical, order: $0) },
    { SortDescriptor(\.note, order: $0) },
    { SortDescriptor(\.count, order: $0) },
    { SortDescriptor(\.rank, order: $0) },
    { SortDescriptor(\.big, order: $0) },
    { SortDescriptor(\.size, order: $0) },
    { SortDescriptor(\.depth, order: $0) },
    { SortDescriptor(\.ratio, order: $0) },
    { SortDescriptor(\.born, order: $0) },
    { SortDescriptor(\.seen, order: $0) },
    { SortDescriptor(\.key, order: $0) },
    { SortDescriptor(\.price, order: $0) },
    { SortDescriptor(\.den.name, order: $0) },
    { SortDescriptor(\.den.depth, order: $0) },
    { SortDescriptor(\.nest?.note, order: $0) },
    { SortDescriptor(\.keeper?.name, order: $0) },
    { SortDescriptor(\.keeper?.age, order: $0) },
    { SortDescriptor(\.keeper?.badge?.number, order: $0) },
    { SortDescriptor(\.parent?.size, order: $0) },
    { SortDescriptor(\.parent?.den.name, order: $0) },
    { SortDescriptor(\.parent?.keeper?.name, order: $0) },
    { SortDescriptor(\.words.count, order: $0) },
    { SortDescriptor(\.nest!.note, order: $0) },
    { SortDescriptor(\.keeper!.name, order: $0) },
    { SortDescriptor(\.parent!.keeper!.age, order: $0) },
  ]

  @Test(arguments: 1...StoreKind.rounds(8))
  func orders(_ seed: UInt64) throws {
    var choice = Choice(seed: seed)
    let menagerie = try Menagerie(using: &choice)
    if seed.isMultiple(of: 2) { try menagerie.disturb(using: &choice) }
    let count = try menagerie.context.fetchCount(FetchDescriptor<Creature>())
    for _ in 0..<60 {
      let sort = (0..<1 + choice.number(3)).map { _ in
        choice.one(of: Self.keys)(choice.truth() ? .forward : .reverse)
      }
      var descriptor = FetchDescriptor(sortBy: sort)
      let found = try menagerie.context.fetch(descriptor)
      let comparison = try SortComparison(sort)
      #expect(Set(found.map(\.persistentModelID)).count == count)
      for (first, second) in zip(found, found.dropFirst()) {
        let order = comparison.compare(first, second)
        #expect(order != .orderedDescending, "seed \(seed): \(sort)")
      }
      descriptor.fetchOffset = 3
      descriptor.fetchLimit = 5
      let page = try menagerie.context.fetch(descriptor)
      #expect(page.count == 5)
      // Models that are equal in all keys may be in any order.
      for (model, other) in zip(page, found.dropFirst(3)) {
        #expect(comparison.compare(model, other) == .orderedSame, "seed \(seed)")
      }
    }
  }
}
