import Foundation
import StoreTesting
import SwiftData
import SwiftDataSync
import Testing

/// Lists whose elements arrive after them.
@Suite struct WaitingListTests {
  private let container: ModelContainer
  private let ledger: SyncLedger

  init() throws {
    container = try memoryContainer(Artist.self, Song.self)
    let storage = try ModelSyncStorage(
      container, [SyncedModel(Artist.self, key: \.number), SyncedModel(Song.self, key: \.title)])
    let schema = SyncSchema([
      SyncSchema.Entity(
        name: "Artist", lists: ["songs": SyncSchema.List(to: "Song")], policy: .serverWins),
      SyncSchema.Entity(name: "Song", policy: .serverWins),
    ])
    ledger = try SyncLedger(storage, schema, client: "client")
  }

  private func pull(_ changes: SyncRemote...) throws {
    _ = try ledger.apply(SyncPage(changes: changes, cursor: "", hasMore: false), now: .now)
  }

  private func artist(_ version: Int64, _ songs: String...) -> SyncRemote {
    SyncRemote(
      object: SyncObjectID("Artist", "1"), version: version,
      values: [
        "number": .integer(1), "name": .text(""), "songs": .list(songs.map { .text($0) }),
      ])
  }

  private func song(_ title: String) -> SyncRemote {
    SyncRemote(
      object: SyncObjectID("Song", title), version: 1, values: ["title": .text(title)])
  }

  private func songs() throws -> [String] {
    try #require(try ModelContext(container).fetch(FetchDescriptor<Artist>()).first)
      .songs.map(\.title).sorted()
  }

  private func edit(_ body: (Artist) -> Void) throws {
    let context = ModelContext(container)
    body(try #require(try context.fetch(FetchDescriptor<Artist>()).first))
    try context.save()
  }

  /// Returns the changes that would be sent now.
  private func prepared() throws -> [SyncChange] {
    try ledger.prepare(limit: 100, now: .now) { UUID().uuidString }
    return ledger.inFlight.map(\.change)
  }

  @Test(arguments: ["a", "b"]) func anElementThatCameLateCanBeRemoved(removed: String) throws {
    try pull(artist(1, "a", "b"))
    #expect(try songs() == [])
    try pull(song("a"))
    #expect(try songs() == ["a"])
    try pull(song("b"))
    #expect(try songs() == ["a", "b"])
    #expect(try prepared().isEmpty)
    try edit { artist in artist.songs.removeAll { $0.title == removed } }
    let left = removed == "a" ? "b" : "a"
    #expect(try prepared().map { $0.values?["songs"] } == [.list([.text(left)])])
  }

  @Test func anElementThatNoLongerWaitsIsNotRestored() throws {
    try pull(artist(1, "a", "b"), song("a"))
    #expect(try songs() == ["a"])
    try pull(artist(2, "a"))
    try pull(song("b"))
    #expect(try songs() == ["a"])
    #expect(try prepared().isEmpty)
  }
}
