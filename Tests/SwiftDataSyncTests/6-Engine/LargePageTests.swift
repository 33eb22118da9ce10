import Foundation
import SwiftData
import SwiftDataSync
import Testing

/// Pages with more objects than are processed together.
@Suite(.timeLimit(.minutes(20))) struct LargePageTests {
  /// Returns its pages in sequence.
  private actor Pages: SyncTransport {
    private var pages: [SyncPage]

    init(_ pages: [SyncPage]) { self.pages = pages }

    func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
      Dictionary(uniqueKeysWithValues: changes.map { ($0.id, .accepted(version: 9)) })
    }

    func pull(after cursor: String?, client: String) async throws -> SyncPage {
      pages.isEmpty ? SyncPage(changes: [], cursor: "end", hasMore: false) : pages.removeFirst()
    }
  }

  private static func park(_ number: Int, _ version: Int64, _ name: String?) -> SyncRemote {
    SyncRemote(
      object: SyncObjectID("Park", "\(number)"), version: version,
      values: name.map {
        ["number": .integer(Int64(number)), "name": .text($0), "mood": .text("calm")]
      })
  }

  @Test(arguments: [true, false]) func everyObjectOfALongPageIsTaken(twice: Bool) async throws {
    let count = 2_500
    var second = (0..<count).map { Self.park($0, 2, $0 % 5 == 0 ? nil : "second \($0)") }
    // An object that occurs twice gets the later state.
    if twice { second += [Self.park(1, 3, "third"), Self.park(2, 3, nil)] }
    let pages = [
      SyncPage(
        changes: (0..<count).map { Self.park($0, 1, "first \($0)") }, cursor: "1", hasMore: false),
      SyncPage(changes: second, cursor: "2", hasMore: false),
    ]
    let container = try Fixture.container()
    let engine = try SyncEngine(
      container, models: Fixture.models(.clientWins), transport: Pages(pages),
      timing: Fixture.timing)
    try await engine.sync()
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Park>()) == count)
    // A waiting edit wins over the page.
    let seven = try context.fetch(FetchDescriptor<Park>(predicate: #Predicate { $0.number == 7 }))
    seven.first?.name = "mine"
    try context.save()
    try await engine.sync()
    let parks = try ModelContext(container).fetch(
      FetchDescriptor<Park>(sortBy: [SortDescriptor(\.number)]))
    var expected = (0..<count).filter { $0 % 5 != 0 }.map { ($0, "second \($0)") }
    expected = expected.map { $0.0 == 7 ? ($0.0, "mine") : $0 }
    if twice {
      expected.removeAll { $0.0 == 2 }
      expected = expected.map { $0.0 == 1 ? ($0.0, "third") : $0 }
    }
    #expect(parks.map(\.number) == expected.map(\.0))
    #expect(parks.map(\.name) == expected.map(\.1))
  }
}
