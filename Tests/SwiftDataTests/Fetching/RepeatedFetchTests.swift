import Foundation
import SwiftData
import SwiftDataCore
import Testing

@Suite("Fetches of a known shape")
struct RepeatedFetchTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try memoryContainer(Quake.self)
    context = ModelContext(container)
    let codes = ["a", "b", "K", "\u{212A}", "é", "e\u{301}", "", "x;", "x\u{37E}"]
    for (index, code) in codes.enumerated() {
      context.insert(
        Quake(
          code: code + "\(index)", magnitude: index == 4 ? .nan : Double(index),
          time: Date(timeIntervalSinceReferenceDate: Double(index)), name: code))
    }
    try context.save()
  }

  private func expectSameAnswer(
    _ predicate: Predicate<Quake>, _ sort: [SortDescriptor<Quake>] = [SortDescriptor(\.time)],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let all = try context.fetch(FetchDescriptor<Quake>(sortBy: sort))
    let expected = try all.filter(predicate.evaluate)
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: sort)
    #expect(try context.fetch(descriptor) == expected, sourceLocation: sourceLocation)
    #expect(try context.fetchCount(descriptor) == expected.count, sourceLocation: sourceLocation)
    #expect(
      try context.fetchIdentifiers(descriptor) == expected.map(\.persistentModelID),
      sourceLocation: sourceLocation)
    for limit in [1, 2] {
      descriptor.fetchLimit = limit
      descriptor.fetchOffset = limit - 1
      #expect(
        try context.fetch(descriptor) == Array(expected.dropFirst(limit - 1).prefix(limit)),
        sourceLocation: sourceLocation)
    }
  }

  @Test("texts, unusual letters included, give the same as evaluation")
  func texts() throws {
    for code in [
      "a0", "b1", "K2", "\u{212A}3", "K3", "é4", "e\u{301}4", "6", "x;7", "x;8", "none", "a0",
    ] {
      try expectSameAnswer(#Predicate { $0.code == code })
      try expectSameAnswer(#Predicate { $0.code != code })
      try expectSameAnswer(#Predicate { $0.code < code })
      try expectSameAnswer(#Predicate { code <= $0.code })
    }
  }

  @Test("numbers and dates, NaN included, give the same as evaluation")
  func numbers() throws {
    for number in [0.0, 3, .nan, 7, -.infinity, 3] {
      let date = Date(timeIntervalSinceReferenceDate: number)
      try expectSameAnswer(#Predicate { $0.magnitude < number || $0.time > date })
      try expectSameAnswer(#Predicate { $0.magnitude >= number && !($0.time == date) })
      try expectSameAnswer(#Predicate { $0.magnitude == number })
      try expectSameAnswer(
        #Predicate { $0.time <= date }, [SortDescriptor(\.time, order: .reverse)])
    }
  }

  @Test(
    "are translated once, and with another limit or order again",
    .enabled(if: StoreKind.tested == .sqlite, "looks at SQLite's cache of translations"))
  func reuse() throws {
    let entry = try container.core.entry(for: Quake.self)
    func descriptor(
      _ code: String, limit: Int? = nil, _ sort: [SortDescriptor<Quake>] = []
    ) -> FetchDescriptor<Quake> {
      var descriptor = FetchDescriptor<Quake>(
        predicate: #Predicate { $0.code == code }, sortBy: sort)
      descriptor.fetchLimit = limit
      return descriptor
    }
    func isKnown(_ descriptor: FetchDescriptor<Quake>) throws -> Bool {
      let store = try #require(entry.capabilities.queryReuse)
      var isKnown = true
      _ = try store.query(for: _FetchSummary(descriptor), of: entry.plan) {
        descriptor.sortBy
      } request: {
        isKnown = false
        var request = StoreRequest<Quake>(plan: entry.plan)
        request.excluded = [0]  // So that its translation isn't kept.
        return request
      }
      return isKnown
    }
    #expect(try !isKnown(descriptor("a0")))
    _ = try context.fetch(descriptor("a0"))
    #expect(try isKnown(descriptor("a0")))
    #expect(try isKnown(descriptor("b1")))
    #expect(try !isKnown(descriptor("K2")))
    #expect(try !isKnown(descriptor("a0", limit: 1)))
    #expect(try !isKnown(descriptor("a0", [SortDescriptor(\.time)])))
  }

  @Test("unsaved changes take part though the shape is known")
  func pendingChanges() throws {
    func fetch(_ code: String) throws -> [Double] {
      try context.fetch(FetchDescriptor<Quake>(predicate: #Predicate { $0.code == code }))
        .map(\.magnitude)
    }
    #expect(try fetch("a0") == [0])
    let quake = try #require(
      try context.fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.time)])).first)
    quake.magnitude = 9
    quake.code = "z"
    #expect(try fetch("a0") == [])
    #expect(try fetch("z") == [9])
    try context.save()
    #expect(try fetch("z") == [9])
  }
}
