import Foundation
import StoreTesting
import SwiftData
import SwiftDataSync
import Testing

@Model final class Track {
  @Attribute(.unique) var title: String
  var length: Int
  var album: Disc?
  var albums: [Disc] = []

  init(_ title: String) {
    self.title = title
    length = 0
  }
}

@Model class Disc {
  @Attribute(.unique) var number: Int
  @Relationship(.ordered, inverse: \Track.albums) var tracks: [Track] = []
  @Relationship(inverse: \Track.album) var hits: [Track] = []
  var opener: Track?

  init(_ number: Int) { self.number = number }
}

@Model final class LiveDisc: Disc {
  override init(_ number: Int) { super.init(number) }
}

/// Objects that are deleted on a device and restored because the server has a change of them.
@Suite struct ReturningObjectTests {
  private let container: ModelContainer
  private let ledger: SyncLedger

  init() throws {
    container = try memoryContainer(Track.self, Disc.self, LiveDisc.self)
    let storage = try ModelSyncStorage(
      container,
      [
        SyncedModel(Track.self, key: \.title), SyncedModel(Disc.self, key: \.number),
        SyncedModel(LiveDisc.self, key: \.number),
      ])
    let lists = ["tracks": SyncSchema.List(to: "Track", isOrdered: true)]
    let schema = SyncSchema(
      [
        SyncSchema.Entity(name: "Track", references: ["album": "Disc"], policy: .serverWins),
        SyncSchema.Entity(
          name: "Disc", references: ["opener": "Track"], lists: lists, policy: .serverWins),
        SyncSchema.Entity(
          name: "LiveDisc", references: ["opener": "Track"], lists: lists, policy: .serverWins),
      ], members: ["Disc": ["Disc", "LiveDisc"]])
    ledger = try SyncLedger(storage, schema, client: "client")
    try pull(
      track("a", 1), track("b", 1), track("c", 1),
      SyncRemote(
        object: SyncObjectID("LiveDisc", "1"), version: 1,
        values: [
          "number": .integer(1), "tracks": .list([.text("a"), .text("b"), .text("c")]),
          "opener": .text("b"),
        ]))
  }

  private func pull(_ changes: SyncRemote...) throws {
    _ = try ledger.apply(SyncPage(changes: changes, cursor: "", hasMore: false), now: .now)
  }

  private func track(_ title: String, _ version: Int64) -> SyncRemote {
    SyncRemote(
      object: SyncObjectID("Track", title), version: version,
      values: ["title": .text(title), "length": .integer(version), "album": .integer(1)])
  }

  private func album() throws -> Disc {
    try #require(try ModelContext(container).fetch(FetchDescriptor<Disc>()).first)
  }

  private func edit(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  private func prepared() throws -> [SyncChange] {
    try ledger.prepare(limit: 100, now: .now) { UUID().uuidString }
    return ledger.inFlight.map(\.change)
  }

  @Test func theReferencesToItComeBackToo() throws {
    try edit { try $0.delete(model: Track.self, where: #Predicate { $0.title == "b" }) }
    #expect(try album().tracks.map(\.title) == ["a", "c"])
    #expect(try album().opener == nil)
    try pull(track("b", 2))
    let album = try album()
    #expect(album.tracks.map(\.title) == ["a", "b", "c"])
    #expect(album.opener?.title == "b")
    #expect(album.hits.count == 3)
    #expect(try prepared().isEmpty)
  }

  @Test func referencesToAClassOfAFamilyComeBackToo() throws {
    try edit { context in
      for album in try context.fetch(FetchDescriptor<Disc>()) { context.delete(album) }
    }
    #expect(
      try ModelContext(container).fetch(FetchDescriptor<Track>()).allSatisfy { $0.album == nil })
    try pull(
      SyncRemote(
        object: SyncObjectID("LiveDisc", "1"), version: 2,
        values: [
          "number": .integer(1), "tracks": .list([.text("b"), .text("a")]), "opener": .null,
        ]))
    #expect(try album().tracks.map(\.title) == ["b", "a"])
    #expect(try album().hits.map(\.title).sorted() == ["a", "b", "c"])
    #expect(try prepared().isEmpty)
  }

  @Test func otherEditsStayEdits() throws {
    try edit { context in
      try context.delete(model: Track.self, where: #Predicate { $0.title == "b" })
      for album in try context.fetch(FetchDescriptor<Disc>()) {
        album.tracks.removeAll { $0.title == "c" }
      }
    }
    try pull(track("b", 2))
    #expect(try album().tracks.map(\.title) == ["a", "b"])
    #expect(
      try prepared().map { $0.values?["tracks"] } == [.list([.text("a"), .text("b")])])
  }
}
