import Foundation
import SwiftData
import SwiftDataSync
import Testing

/// A crew's deletion deletes its sailors.
@Model final class Crew {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Sailor.crew) var sailors: [Sailor] = []

  init(_ name: String) { self.name = name }
}

@Model final class Sailor {
  @Attribute(.unique) var number: Int
  @Attribute(.unique) var bunk: Int
  var text = ""
  var crew: Crew?

  init(_ number: Int, bunk: Int, _ crew: Crew?) {
    self.number = number
    self.bunk = bunk
    self.crew = crew
  }
}

/// Deletions by the server that would delete objects of which its newer states can't be stored yet.
@Suite struct WaitingChangeTests {
  private let types: [any PersistentModel.Type] = [Crew.self, Sailor.self]

  private func sailor(_ number: Int, _ context: ModelContext) throws -> Sailor {
    try #require(
      try context.fetch(FetchDescriptor<Sailor>(predicate: #Predicate { $0.number == number }))
        .first)
  }

  private func state(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    return try context.fetch(FetchDescriptor<Crew>()).map(\.name).sorted()
      + context.fetch(FetchDescriptor<Sailor>(sortBy: [SortDescriptor(\.number)])).map { sailor in
        "\(sailor.number) in \(sailor.crew?.name ?? "-"), bunk \(sailor.bunk) \(sailor.text)"
      }
  }

  /// The server moves a sailor to another crew and to a bunk that another sailor has here, and deletes the former crew.
  @Test(arguments: [SyncPolicy.serverWins, .clientWins], ["", "ann"])
  func whatWaitsForAnotherObjectIsNotDeleted(policy: SyncPolicy, text: String) async throws {
    let models = [
      SyncedModel(Crew.self, key: \.name, policy: policy),
      SyncedModel(Sailor.self, key: \.number, policy: policy),
    ]
    let there = try Peer.container(types)
    let server = try SyncServer(there, models: models, rules: .everyoneSeesEverything)
    let ann = try Peer(server, types, models)
    let context = ModelContext(there)
    let crew = Crew("old")
    context.insert(crew)
    context.insert(Sailor(1, bunk: 10, crew))
    context.insert(Sailor(2, bunk: 20, nil))
    try context.save()
    try await ann.engine.sync()
    let moved = try sailor(1, context)
    moved.crew = Crew("new")
    moved.bunk = 99
    context.delete(crew)
    try context.save()
    try ann.edit { context in
      try sailor(2, context).bunk = 99
      if !text.isEmpty { try sailor(1, context).text = text }
    }
    try await ann.engine.sync()
    #expect(
      try state(ann.container) == ["new", "old", "1 in old, bunk 10 \(text)", "2 in -, bunk 99 "])
    try ann.edit { try sailor(2, $0).bunk = 100 }
    for _ in 0..<2 { try await ann.engine.sync() }
    for container in [there, ann.container] {
      #expect(
        try state(container) == ["new", "1 in new, bunk 99 \(text)", "2 in -, bunk 100 "])
    }
    #expect(try await ann.engine.unsynced().isEmpty)
    #expect(try await ann.engine.conflicts().isEmpty)
  }
}
