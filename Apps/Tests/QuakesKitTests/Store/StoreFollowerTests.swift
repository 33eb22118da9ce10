import Foundation
import QuakesKit
import SwiftData
import SwiftDataExtras
import Synchronization
import Testing

@testable import TestSupport

@Suite("Following a store with other writers", .timeLimit(.minutes(20)))
struct StoreFollowerTests {
  /// A store with a follower, to which other containers write.
  private final class Place: Sendable {
    let store: TestStore
    private let reports: AsyncStream<EventChanges>
    private let continuation: AsyncStream<EventChanges>.Continuation

    init(_ form: StoreForm) throws {
      store = try TestStore(form)
      (reports, continuation) = AsyncStream.makeStream()
    }

    /// Opens another container of the store, like another process.
    func other() throws -> QuakeStore { try store.open() }

    func follow(
      _ large: StoreFollower.LargeTransactions = .unknown,
      _ body: (inout AsyncStream<EventChanges>.Iterator) async throws -> Void
    ) async throws {
      let follower = try StoreFollower(store.open(), large: large)
      let task = Task { [continuation] in
        try await follower.run { continuation.yield($0) }
      }
      var iterator = reports.makeAsyncIterator()
      try await body(&iterator)
      task.cancel()
      try await task.value
    }

    func load(_ features: [String], into store: QuakeStore) async throws {
      let feed = try self.store.folder.file("feed.geojson", Fixture.feed(features))
      // With the changes of the feed's lease, which aren't reported.
      try await QuakeFeed(FeedSelection(feed.path), into: store, rule: .aboveZero)
        .refresh(force: true)
    }
  }

  @Test(
    "Insertions, changes and deletions of another container are reported with the events' values",
    arguments: StoreForm.shared)
  func told(_ form: StoreForm) async throws {
    let place = try Place(form)
    let other = try place.other()
    try await place.load([Fixture.feature("nc1"), Fixture.feature("nc2")], into: other)
    try await place.follow { reports in
      try await place.load(
        [Fixture.feature("nc1", magnitude: "3"), Fixture.feature("nc2"), Fixture.feature("nc3")],
        into: other)
      let changes = try #require(await reports.next())
      #expect(changes.inserted.map(\.id) == ["nc3"] && changes.updated.map(\.id) == ["nc1"])
      let updated = try #require(changes.updated.first?.withoutModel)
      #expect(try updated == other.event(id: "nc1")?.withoutModel && changes.deleted.isEmpty)
      #expect(changes.updated.first?.magnitude == 3 && !changes.reload)

      let context = ModelContext(other.container)
      try context.delete(model: Quake.self, where: #Predicate { $0.eventID == "nc2" })
      try context.save()
      #expect(await reports.next() == EventChanges(deleted: ["nc2"]))
    }
  }

  @Test(
    "A large transaction is reported as unknown, or in complete pieces",
    arguments: StoreForm.shared)
  func large(_ form: StoreForm) async throws {
    let features = (0..<1_203).map { Fixture.feature("nc\($0)", time: $0) }
    let whole = try Place(form)
    try await whole.follow { reports in
      try await whole.load(features, into: whole.other())
      #expect(await reports.next() == .unknown)
    }
    let pieces = try Place(form)
    try await pieces.follow(.inPieces) { reports in
      try await pieces.load(features, into: pieces.other())
      var ids: Set<String> = []
      while ids.count < features.count {
        let piece = try #require(await reports.next())
        #expect(!piece.reload && piece.inserted.count <= EventChanges.limit)
        ids.formUnion(piece.inserted.map(\.id))
      }
      #expect(ids.count == features.count)
    }
  }

  @Test(
    "A commit that isn't in the history is reported as unknown; later ones are reported again",
    arguments: StoreForm.shared)
  func foreignTool(_ form: StoreForm) async throws {
    let place = try Place(form)
    let other = try place.other()
    try await place.load([Fixture.feature("nc1"), Fixture.feature("nc2")], into: other)
    try await place.follow { reports in
      // After its first report, the follower is known to listen.
      try await place.load([Fixture.feature("nc1", magnitude: "4")], into: other)
      #expect(await reports.next()?.updated.map(\.id) == ["nc1"])
      try place.store.setMagnitude(7, of: "nc2")
      #expect(await reports.next() == .unknown)
      try await place.load([Fixture.feature("nc4")], into: other)
      #expect(await reports.next()?.inserted.map(\.id) == ["nc4"])
    }
  }

  @Test(
    "Deleted unread history is reported, and following continues", arguments: StoreForm.shared)
  func expired(_ form: StoreForm) async throws {
    let place = try Place(form)
    let other = try place.other()
    try await place.load([Fixture.feature("nc1")], into: other)
    let follower = try StoreFollower(place.other())
    try await place.load([Fixture.feature("nc2")], into: other)
    try ModelContext(other.container).deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>())
    let (reports, continuation) = AsyncStream.makeStream(of: EventChanges.self)
    let task = Task { try await follower.run { continuation.yield($0) } }
    var iterator = reports.makeAsyncIterator()
    #expect(await iterator.next() == .unknown)
    try await place.load([Fixture.feature("nc3")], into: other)
    #expect(await iterator.next()?.inserted.map(\.id) == ["nc3"])
    task.cancel()
    try await task.value
  }

  @Test("An error of the reader ends the following")
  func readerEnds() async throws {
    struct Enough: Error {}
    let place = try Place(.file)
    let store = try place.other()
    let follower = try StoreFollower(store)
    let task = Task { try await follower.run { _ in throw Enough() } }
    try await place.load([Fixture.feature("nc1")], into: store)
    await #expect(throws: Enough.self) { try await task.value }
  }
}
