import Foundation
import SwiftData
import SwiftDataSync
import Testing

/// Goes with the shoot that it is on.
@Model final class Shoot {
  @Attribute(.unique) var name: String
  var text = ""
  var stem: Shoot?
  @Relationship(deleteRule: .cascade, inverse: \Shoot.stem) var shoots: [Shoot] = []

  init(_ name: String, on stem: Shoot? = nil) {
    self.name = name
    self.stem = stem
  }
}

/// Objects that arrive together with a deletion whose cascade reaches the object that they belong to.
@Suite struct ArrivingDependentTests {
  @Test(arguments: [SyncPolicy.serverWins, .clientWins])
  func whatArrivesComesBackWithTheObjectThatItBelongsTo(policy: SyncPolicy) async throws {
    let types: [any PersistentModel.Type] = [Shoot.self]
    let models = [SyncedModel(Shoot.self, key: \.name, policy: policy)]
    let there = try Peer.container(types)
    let server = try SyncServer(there, models: models, rules: .everyoneSeesEverything)
    let (ann, bob) = (try Peer(server, types, models), try Peer(server, types, models))
    try ann.edit { context in
      context.insert(Shoot("root"))
      context.insert(Shoot("fork"))
    }
    for peer in [ann, bob] { try await peer.engine.sync() }
    try ann.edit { try $0.shoot("fork").stem = try $0.shoot("root") }
    try bob.edit { context in
      context.delete(try context.shoot("root"))
      context.insert(Shoot("new", on: try context.shoot("fork")))
    }
    for _ in 0..<2 {
      for peer in [bob, ann] { try await peer.engine.sync() }
    }
    #expect(!ann.line.pushes.flatMap(\.self).contains { $0.values == nil })
    // An edit elsewhere doesn't meet a deletion by Ann.
    try bob.edit { try $0.shoot("new").text = "bob" }
    for _ in 0..<2 {
      for peer in [bob, ann] { try await peer.engine.sync() }
    }
    for container in [there, ann.container, bob.container] {
      let new = try ModelContext(container).shoot("new")
      #expect(new.stem?.name == "fork")
      #expect(new.text == "bob")
    }
    #expect(try await ann.engine.unsynced().isEmpty)
  }
}

extension ModelContext {
  fileprivate func shoot(_ name: String) throws -> Shoot {
    try #require(try fetch(FetchDescriptor<Shoot>(predicate: #Predicate { $0.name == name })).first)
  }
}
