import Foundation
import SwiftData
import SwiftDataSync
import Testing

/// Objects that get keys from the server in the answer in which the objects get theirs that they refer to.
@Suite struct AssignedKeyTests {
  /// A server that assigns keys to all new objects of some classes, with two clients.
  private struct World {
    let there: ModelContainer
    let ann: Peer
    let bob: Peer

    init(_ types: [any PersistentModel.Type], _ models: [SyncedModel]) throws {
      let rules = SyncServerRules(
        scope: { _, _ in nil },
        assignKey: { _, object, _ in
          for prefix in ["-", "new "] where object.key.hasPrefix(prefix) {
            return String(object.key.dropFirst(prefix.count))
          }
          return nil
        })
      there = try Peer.container(types)
      let server = try SyncServer(there, models: models, rules: rules)
      ann = try Peer(server, types, models)
      bob = try Peer(server, types, models)
    }

    /// Expects a description of all objects on all sides.
    func expect(_ expected: [String], _ describe: (ModelContext) throws -> [String]) async throws {
      for _ in 0..<2 {
        try await ann.engine.sync()
        try await bob.engine.sync()
      }
      for container in [there, ann.container, bob.container] {
        #expect(try describe(ModelContext(container)) == expected)
      }
      #expect(ann.line.pushes.joined().allSatisfy { $0.values != nil })
      #expect(try await ann.engine.unsynced().isEmpty)
    }
  }

  @Test func anObjectAndItsDestinationGetKeys() async throws {
    let world = try World(
      [Fellow.self, Club.self],
      [SyncedModel(Fellow.self, key: \.number), SyncedModel(Club.self, key: \.name)])
    try world.ann.edit { $0.insert(Fellow(-1, "a", club: Club("new c"), seat: 1)) }
    try await world.expect(["1 a in c"]) { context in
      try context.fetch(FetchDescriptor<Fellow>()).map { fellow in
        "\(fellow.number) \(fellow.email) in \(fellow.club?.name ?? "-")"
      }
    }
  }

  @Test func anObjectAndTheMembersOfItsListGetKeys() async throws {
    let world = try World(
      [Playlist.self, Song.self, Artist.self, Festival.self],
      [
        SyncedModel(Playlist.self, key: \.name), SyncedModel(Song.self, key: \.title),
        SyncedModel(Artist.self, key: \.number), SyncedModel(Festival.self, key: \.name),
      ])
    try world.ann.edit { $0.insert(Playlist("new p", [Song("new b"), Song("new a")])) }
    try await world.expect(["p with b, a"]) { context in
      try context.fetch(FetchDescriptor<Playlist>()).map { playlist in
        "\(playlist.name) with \(playlist.entries.map(\.title).joined(separator: ", "))"
      }
    }
  }
}
