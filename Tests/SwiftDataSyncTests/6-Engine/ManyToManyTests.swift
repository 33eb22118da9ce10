import Foundation
import SwiftData
import SwiftDataSync
import Testing

@Model final class Artist {
  @Attribute(.unique) var number: Int
  var name: String
  @Relationship(inverse: \Song.artists) var songs: [Song] = []

  init(_ number: Int, songs: [Song] = []) {
    self.number = number
    name = ""
    self.songs = songs
  }
}

@Model final class Song {
  @Attribute(.unique) var title: String
  var artists: [Artist] = []

  init(_ title: String) { self.title = title }
}

/// An ordered list without an inverse, and one whose other end comes first in alphabetical order.
@Model final class Playlist {
  @Attribute(.unique) var name: String
  @Relationship(.ordered, inverse: nil) var entries: [Song]
  @Relationship(.ordered, inverse: \Festival.playlists) var festivals: [Festival] = []

  init(_ name: String, _ entries: [Song]) {
    self.name = name
    self.entries = entries
  }
}

@Model final class Festival {
  @Attribute(.unique) var name: String
  var playlists: [Playlist] = []

  init(_ name: String) { self.name = name }
}

@Suite struct ManyToManyTests {
  private let types: [any PersistentModel.Type] = [
    Artist.self, Song.self, Playlist.self, Festival.self,
  ]
  private let models = [
    SyncedModel(Artist.self, key: \.number), SyncedModel(Song.self, key: \.title),
    SyncedModel(Playlist.self, key: \.name), SyncedModel(Festival.self, key: \.name),
  ]

  private func server(_ rules: SyncServerRules = .everyoneSeesEverything) throws -> SyncServer {
    try SyncServer(try Peer.container(types), models: models, rules: rules)
  }

  private func peer(_ server: SyncServer, limit: Int = 1_000) throws -> Peer {
    try Peer(server, types, models, limit: limit)
  }

  private func songs(_ peer: Peer) throws -> [Int: [String]] {
    Dictionary(
      uniqueKeysWithValues: try peer.all(Artist.self).map {
        ($0.number, $0.songs.map(\.title).sorted())
      })
  }

  private func entries(_ peer: Peer) throws -> [String] {
    try peer.all(Playlist.self).first?.entries.map(\.title) ?? []
  }

  private func edit(_ peer: Peer, _ body: @escaping (Artist, [String: Song]) -> Void) throws {
    try peer.edit { context in
      let songs = try context.fetch(FetchDescriptor<Song>())
      let artist = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
      body(artist, Dictionary(uniqueKeysWithValues: songs.map { ($0.title, $0) }))
    }
  }

  /// Returns two stores with one artist who has the songs a and b, and the unassigned songs c and
  /// d.
  private func pair() async throws -> (Peer, Peer) {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { context in
      context.insert(Artist(1, songs: [Song("b"), Song("a")]))
      for title in ["c", "d"] { context.insert(Song(title)) }
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    return (ann, bob)
  }

  @Test func pairsReachAnotherStoreWithTheObjectToWhichTheyBelong() async throws {
    let (ann, bob) = try await pair()
    #expect(ann.sent("Artist")?["songs"] == .list([.text("a"), .text("b")]))
    #expect(ann.sent("Song")?["artists"] == nil)
    #expect(try songs(bob) == [1: ["a", "b"]])
    #expect(try bob.all(Song.self).first { $0.title == "a" }?.artists.map(\.number) == [1])
    #expect(try await bob.engine.unsynced().isEmpty)
    // A change at the other end is an edit of the artist, too.
    try bob.edit { context in
      let artists = try context.fetch(FetchDescriptor<Artist>())
      for song in try context.fetch(FetchDescriptor<Song>()) where song.title == "c" {
        song.artists = artists
      }
    }
    try await bob.engine.sync()
    #expect(bob.line.pushes.last?.map(\.object) == [SyncObjectID("Artist", "1")])
    try await ann.engine.sync()
    #expect(try songs(ann) == [1: ["a", "b", "c"]])
  }

  @Test func bothSidesElementsAreMerged() async throws {
    let (ann, bob) = try await pair()
    try edit(ann) { artist, songs in artist.songs = [songs["a"], songs["c"]].compactMap { $0 } }
    try edit(bob) { artist, songs in
      artist.songs = [songs["b"], songs["d"]].compactMap { $0 }
      artist.name = "bob's"
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    try await ann.engine.sync()
    for peer in [ann, bob] {
      #expect(try songs(peer) == [1: ["c", "d"]])
      #expect(try peer.all(Artist.self).first?.name == "bob's")
      #expect(try await peer.engine.conflicts().isEmpty)
      #expect(try await peer.engine.unsynced().isEmpty)
    }
  }

  @Test func anOrderedListKeepsItsOrder() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { context in
      context.insert(Playlist("p", ["c", "a", "b"].map { Song($0) }))
      for title in ["x", "y"] { context.insert(Song(title)) }
    }
    try await ann.engine.sync()
    try await bob.engine.sync()
    #expect(try entries(bob) == ["c", "a", "b"])
    func change(_ peer: Peer, _ titles: [String]) throws {
      try peer.edit { context in
        let songs = try context.fetch(FetchDescriptor<Song>())
        for playlist in try context.fetch(FetchDescriptor<Playlist>()) {
          playlist.entries = titles.compactMap { title in songs.first { $0.title == title } }
        }
      }
    }
    // One side adds an entry after a; the other side reverses the order and adds one at the front.
    try change(ann, ["c", "a", "x", "b"])
    try change(bob, ["y", "b", "a", "c"])
    try await ann.engine.sync()
    try await bob.engine.sync()
    try await ann.engine.sync()
    #expect(try entries(bob) == ["y", "b", "a", "x", "c"])
    #expect(try entries(ann) == entries(bob))
  }

  @Test func thePairsBelongToTheEndWithAnOrder() async throws {
    let server = try server()
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { context in
      let playlist = Playlist("p", [])
      context.insert(playlist)
      playlist.festivals = ["z", "a"].map { Festival($0) }
    }
    try await ann.engine.sync()
    #expect(ann.sent("Playlist")?["festivals"] == .list([.text("z"), .text("a")]))
    try await bob.engine.sync()
    #expect(try bob.all(Playlist.self).first?.festivals.map(\.name) == ["z", "a"])
  }

  @Test func elementsThatComeLaterAreWaitedFor() async throws {
    let server = try server()
    let ann = try peer(server)
    try ann.edit { $0.insert(Playlist("p", ["c", "a", "b"].map { Song($0) })) }
    try await ann.engine.sync()
    // Later versions order the songs after the list.
    try ann.edit { context in
      for song in try context.fetch(FetchDescriptor<Song>()) { song.artists = [] }
      context.insert(Artist(1, songs: try context.fetch(FetchDescriptor<Song>())))
    }
    try await ann.engine.sync()
    let container = try Peer.container(types)
    let bob = try Peer(server, types, models, limit: 1)
    let reversed = ReversedPages(server)
    let engine = try SyncEngine(
      container, models: models, transport: reversed, timing: Fixture.timing)
    try await engine.sync()
    try await bob.engine.sync()
    let playlist = try ModelContext(container).fetch(FetchDescriptor<Playlist>()).first
    #expect(playlist?.entries.map(\.title) == ["c", "a", "b"])
    #expect(try await engine.unsynced().isEmpty)
    #expect(try entries(bob) == ["c", "a", "b"])
  }

  @Test func theServersKeysReachLists() async throws {
    let rules = SyncServerRules(
      scope: { _, _ in nil },
      assignKey: { _, object, _ in
        object.entity == "Song" && object.key.hasPrefix("new ")
          ? "0 " + object.key.dropFirst(4) : nil
      })
    let server = try server(rules)
    let (ann, bob) = (try peer(server), try peer(server))
    try ann.edit { context in
      let known = Song("a")
      context.insert(Artist(1, songs: [known, Song("new b")]))
      context.insert(Playlist("p", [known, Song("new c")]))
    }
    try await ann.engine.sync()
    #expect(try songs(ann) == [1: ["0 b", "a"]])
    #expect(try entries(ann) == ["a", "0 c"])
    #expect(try await ann.engine.unsynced().isEmpty)
    let count = ann.line.pushes.count
    try await ann.engine.sync()
    #expect(ann.line.pushes.count == count)
    try await bob.engine.sync()
    #expect(try songs(bob) == [1: ["0 b", "a"]])
    #expect(try entries(bob) == ["a", "0 c"])
  }

  @Test func anElementThatIsDeletedIsNoEditOfTheList() async throws {
    let (ann, bob) = try await pair()
    try ann.edit { try $0.delete(model: Song.self, where: #Predicate { $0.title == "a" }) }
    try await ann.engine.sync()
    #expect(ann.line.pushes.last?.map(\.object) == [SyncObjectID("Song", "a")])
    try await bob.engine.sync()
    #expect(try songs(bob) == [1: ["b"]])
    #expect(bob.line.pushes.isEmpty)
    try edit(bob) { artist, songs in artist.songs += [songs["c"]].compactMap { $0 } }
    try await bob.engine.sync()
    try await ann.engine.sync()
    #expect(try songs(ann) == [1: ["b", "c"]])
  }

  @Test func anEndThatIsLeftOutKeepsThePairsHere() async throws {
    let models = [
      SyncedModel(Artist.self, key: \.number),
      SyncedModel(Song.self, key: \.title, excluding: [\.artists]),
    ]
    let types: [any PersistentModel.Type] = [Artist.self, Song.self]
    let server = try SyncServer(
      try Peer.container(types), models: models, rules: .everyoneSeesEverything)
    let ann = try Peer(server, types, models)
    try ann.edit { $0.insert(Artist(1, songs: [Song("a")])) }
    try await ann.engine.sync()
    #expect(ann.sent("Artist")?.keys.sorted() == ["name", "number"])
    #expect(try songs(ann) == [1: ["a"]])
  }
}

/// Returns the last object first, each on a page of its own.
private actor ReversedPages: SyncTransport {
  let server: SyncServer

  init(_ server: SyncServer) { self.server = server }

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    try await server.push(changes, client: client, user: "ann")
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    var page = try await server.pull(after: nil, user: "ann")
    let place = cursor.flatMap { Int($0) } ?? 0
    page.changes.reverse()
    page.hasMore = place + 1 < page.changes.count
    page.changes = Array(page.changes.dropFirst(place).prefix(1))
    page.cursor = String(place + 1)
    page.coverage = .full()
    return page
  }
}
