import Foundation
import SwiftData
import SwiftDataSync
import Testing

@Model final class Crate {
  @Attribute(.unique) var name: String

  init(_ name: String) { self.name = name }
}

@Model final class Bottle {
  @Attribute(.unique) var name: String
  var text = ""
  var crate: Crate?
  var crateName: String?
  @Relationship(inverse: nil) var former: [Crate] = []

  init(_ name: String) { self.name = name }
}

/// Keys that a server gives to new objects and to those that they refer to, by references of all kinds.
@Suite struct AssignedReferenceTests {
  enum Reference: CaseIterable { case relationship, attribute, list }

  @Test(arguments: Reference.allCases)
  func anObjectAndTheOneThatItRefersToGetThem(reference: Reference) async throws {
    let types: [any PersistentModel.Type] = [Crate.self, Bottle.self]
    let models = [
      SyncedModel(Crate.self, key: \.name),
      SyncedModel(
        Bottle.self, key: \.name, references: [.init(\Bottle.crateName, to: Crate.self)]),
    ]
    let rules = SyncServerRules(
      scope: { _, _ in nil },
      assignKey: { _, object, _ in
        object.key.hasPrefix("new ") ? String(object.key.dropFirst(4)) : nil
      })
    let there = try Peer.container(types)
    let server = try SyncServer(there, models: models, rules: rules)
    let (ann, bob) = (try Peer(server, types, models), try Peer(server, types, models))
    try ann.edit { context in
      let (crate, bottle) = (Crate("new c"), Bottle("new b"))
      context.insert(crate)
      context.insert(bottle)
      switch reference {
      case .relationship: bottle.crate = crate
      case .attribute: bottle.crateName = crate.name
      case .list: bottle.former = [crate]
      }
    }
    try await ann.engine.sync()
    #expect(!ann.line.pushes.flatMap(\.self).contains { $0.values == nil })
    #expect(try await ann.engine.unsynced().isEmpty)
    try await bob.engine.sync()
    try bob.edit { context in
      try #require(try context.fetch(FetchDescriptor<Bottle>()).first).text = "bob"
    }
    for peer in [bob, ann] { try await peer.engine.sync() }
    for container in [there, ann.container, bob.container] {
      let context = ModelContext(container)
      #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.name) == ["c"])
      let bottle = try #require(try context.fetch(FetchDescriptor<Bottle>()).first)
      #expect(bottle.name == "b")
      #expect(bottle.text == "bob")
      switch reference {
      case .relationship: #expect(bottle.crate?.name == "c")
      case .attribute: #expect(bottle.crateName == "c")
      case .list: #expect(bottle.former.map(\.name) == ["c"])
      }
    }
  }
}
