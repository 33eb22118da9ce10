import PostgresTesting
import Foundation
import SwiftData
import SwiftDataCore
import SwiftDataExtras
import SwiftDataPostgres
import Testing

@Suite("Predicates have the same result on a server and in memory", .server)
struct PostgresPredicateTests {
  private let context: ModelContext

  init() throws {
    let configuration = PostgresConfiguration(
      uniqueName("store"), url: try PostgresServer.shared.url)
    let container = try ModelContainer(
      for: Schema([Sample.self, SampleGroup.self, Tag.self]), configurations: [configuration])
    let filling = ModelContext(container)
    let texts = [
      "", "a", "A", "é", "e\u{301}", "éa", "K", "\u{212A}", "b\r\n", "\n", "z", "ab", "한국", "👩‍👩‍👧",
      "_%", "\\",
    ]
    for (number, text) in texts.enumerated() {
      let sample = Sample("\(number)", count: number - 5)
      sample.note = number.isMultiple(of: 4) ? nil : text
      sample.rank = number.isMultiple(of: 3) ? nil : number % 5
      sample.size = [1.5, -0.0, .nan, .infinity, 2][number % 5]
      sample.date = Date(timeIntervalSinceReferenceDate: number == 3 ? .nan : Double(number))
      sample.data = Data(text.utf8)
      sample.big = number == 2 ? .max : UInt64(number)
      sample.price = number.isMultiple(of: 5) ? .nan : Decimal(number) / 8
      sample.place =
        number.isMultiple(of: 2) ? Place(latitude: Double(number), longitude: 1) : nil
      sample.uuid = UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
      filling.insert(sample)
    }
    try filling.save()
    context = ModelContext(container)
  }

  private func check(
    _ predicate: Predicate<Sample>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let all = try context.fetch(FetchDescriptor<Sample>())
    let expected = try all.filter { try predicate.evaluate($0) }.map(\.key)
    let found = try ModelContext(context.container).fetch(
      FetchDescriptor<Sample>(predicate: predicate)
    ).map(\.key)
    #expect(Set(found) == Set(expected), sourceLocation: sourceLocation)
    let count = try context.fetchCount(FetchDescriptor<Sample>(predicate: predicate))
    #expect(count == expected.count, sourceLocation: sourceLocation)
  }

  @Test("the order of decimal numbers, where NaN comes first")
  func decimalOrder() throws {
    for price in [Decimal(1) / 2, .nan] {
      try check(#Predicate { $0.price < price })
      try check(#Predicate { $0.price <= price })
      try check(#Predicate { $0.price > price })
      try check(#Predicate { $0.price >= price })
      try check(#Predicate { price < $0.price || $0.price == price })
      try check(#Predicate { !($0.price > price) && $0.price != price })
      try check(#Predicate { [price, 1].contains($0.price) })
    }
    try check(#Predicate { $0.price < $0.price })
    try check(#Predicate { $0.price <= $0.price && $0.price >= $0.price })
    let all = try context.fetch(FetchDescriptor<Sample>())
    for order in [SortOrder.forward, .reverse] {
      let descriptors = [
        SortDescriptor(\Sample.price, order: order), SortDescriptor(\Sample.count),
      ]
      let sorted = try ModelContext(context.container).fetch(
        FetchDescriptor<Sample>(sortBy: descriptors))
      #expect(sorted.map(\.count) == all.sorted(using: descriptors).map(\.count))
    }
    #expect(try context.minimum(of: \Sample.price)?.isNaN == true)
    #expect(try context.maximum(of: \Sample.price) == Decimal(14) / 8)
  }

  @Test("numbers")
  func numbers() throws {
    let (three, rank, none): (Int, Int?, Int?) = (3, 2, nil)
    let (real, unknown, big, price) = (1.5, Double("nan"), UInt64.max, Decimal(1) / 4)
    let noNumber = try #require(unknown)
    try check(#Predicate { $0.count > three })
    try check(#Predicate { $0.count + three > 1 && $0.count * 2 != 6 })
    try check(#Predicate { $0.count % 3 == 0 || $0.small < 0 })
    try check(#Predicate { $0.rank == rank })
    try check(#Predicate { $0.rank != rank })
    try check(#Predicate { $0.rank == none })
    try check(#Predicate { ($0.rank ?? -1) < three })
    try check(#Predicate { $0.size > real })
    try check(#Predicate { $0.size <= real })
    try check(#Predicate { $0.size == noNumber })
    try check(#Predicate { $0.size != noNumber })
    try check(#Predicate { -$0.size < real })
    try check(#Predicate { $0.big == big })
    try check(#Predicate { $0.big < big })
    try check(#Predicate { $0.price == price })
    try check(#Predicate { $0.price > price })
    try check(#Predicate { ($0.isOpen ? $0.count : three) == three })
    try check(#Predicate { ($0.isOpen ? 1 : 2) == $0.count })
  }

  @Test("texts")
  func texts() throws {
    let (plain, composed, other) = ("a", "é", "K")
    let (note, none): (String?, String?) = ("e\u{301}", nil)
    try check(#Predicate { $0.note == note })
    try check(#Predicate { $0.note != note })
    try check(#Predicate { $0.note == none })
    try check(#Predicate { ($0.note ?? "") == composed })
    try check(#Predicate { ($0.note ?? "") == other })
    try check(#Predicate { ($0.note ?? "") < plain })
    try check(#Predicate { ($0.note ?? "") >= plain })
    try check(#Predicate { ($0.note ?? "").contains(plain) })
    try check(#Predicate { ($0.note ?? "").contains(composed) })
    try check(#Predicate { ($0.note ?? "").contains("\n") })
    try check(#Predicate { !($0.note ?? "").contains("\n") })
    try check(#Predicate { ($0.note ?? "").starts(with: "b") })
    try check(#Predicate { ($0.note ?? "").localizedStandardContains("E") })
    try check(#Predicate { ($0.note ?? "").count == 1 })
    try check(#Predicate { ($0.note ?? "").isEmpty })
    let zero = "\0"
    try check(#Predicate { $0.note == zero })
    try check(#Predicate { $0.note != zero })
  }

  @Test("other values and lists")
  func others() throws {
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let uuid = UUID(uuid: (3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    let (isOpen, data, number) = (true, Data("a".utf8), 2)
    let (keys, counts, dates) = (["1", "2", "x\"y"], [1, -2, 3], [date])
    let uuids = [uuid, UUID()]
    try check(#Predicate { $0.date < date })
    try check(#Predicate { $0.date >= date })
    try check(#Predicate { $0.uuid == uuid })
    try check(#Predicate { $0.isOpen == isOpen })
    try check(#Predicate { $0.isOpen != isOpen })
    try check(#Predicate { $0.data == data })
    try check(#Predicate { $0.data.count > number || $0.data.isEmpty })
    try check(#Predicate { keys.contains($0.key) })
    try check(#Predicate { counts.contains($0.count) })
    try check(#Predicate { !counts.contains($0.count) })
    try check(#Predicate { dates.contains($0.date) })
    try check(#Predicate { uuids.contains($0.uuid) })
    let prices: [Decimal] = [Decimal(1) / 4, 1, Decimal(-9) / 8]
    for predicate: Predicate<Sample> in [
      #Predicate { prices.contains($0.price) }, #Predicate { !prices.contains($0.price) },
    ] {
      try check(predicate)
      #expect(try context.explain(FetchDescriptor(predicate: predicate)).inMemory.isEmpty)
    }
    try check(#Predicate { $0.numbers.contains(number) })
    try check(#Predicate { $0.numbers.contains { $0 > number } })
    try check(#Predicate { $0.numbers.count == number })
    try check(#Predicate { $0.place?.latitude == 4 })
    try check(#Predicate { $0.place == nil })
    try check(#Predicate { $0.group == nil })
  }

  @Test("arithmetic without a result is an error, as in memory")
  func overflow() throws {
    let (largest, zero) = (Int.max, 0)
    let small = Int8(127)
    for predicate: Predicate<Sample> in [
      #Predicate { $0.count + largest > 0 }, #Predicate { $0.count % zero == 0 },
      #Predicate { $0.small + small > 0 },
    ] {
      #expect(throws: SwiftDataError.self) {
        try context.fetch(FetchDescriptor<Sample>(predicate: predicate))
      }
    }
    try check(
      #Predicate { $0.count < 5 && $0.small + small > 0 || $0.count > 100 }, expecting: true)
  }

  private func check(_ predicate: Predicate<Sample>, expecting failure: Bool) throws {
    do {
      _ = try context.fetch(FetchDescriptor<Sample>(predicate: predicate))
      if failure { Issue.record("there was no error") }
    } catch let error as SwiftDataError { #expect(failure, "\(error)") }
  }

  @Test("orders")
  func orders() throws {
    func keys(_ sort: SortDescriptor<Sample>) throws -> [String] {
      try context.fetch(FetchDescriptor<Sample>(sortBy: [sort, SortDescriptor(\.count)])).map(\.key)
    }
    func expected(_ sort: SortDescriptor<Sample>) throws -> [String] {
      try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.count)]))
        .sorted(using: [sort, SortDescriptor(\.count)]).map(\.key)
    }
    for sort in [
      SortDescriptor<Sample>(\.rank), SortDescriptor(\.rank, order: .reverse),
      SortDescriptor(\.note, comparator: .lexical), SortDescriptor(\.price, order: .reverse),
      SortDescriptor(\.big), SortDescriptor(\.key, comparator: .lexical),
    ] {
      #expect(try keys(sort) == expected(sort), "\(sort)")
    }
    let sizes = try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.size)]))
      .map(\.size)
    #expect(sizes.last?.isNaN == true && sizes.first == 0)
  }
}
