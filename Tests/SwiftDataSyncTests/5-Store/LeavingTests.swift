import Foundation
import SwiftData
import SwiftDataSync
import Testing

@Model final class Porch {
  @Attribute(.unique) var name: String
  var note = ""
  @Relationship(inverse: \Bench.porch) var benches: [Bench] = []

  init(_ name: String) { self.name = name }
}

@Model final class Bench {
  @Attribute(.unique) var number: Int
  var text = ""
  var porch: Porch

  init(_ number: Int, _ porch: Porch) {
    self.number = number
    self.porch = porch
  }
}

@Model final class Cellar {
  @Attribute(.unique) var name: String
  var note = ""
  @Relationship(deleteRule: .deny, inverse: \Barrel.cellar) var barrels: [Barrel] = []

  init(_ name: String) { self.name = name }
}

@Model final class Barrel {
  @Attribute(.unique) var number: Int
  var text = ""
  var cellar: Cellar

  init(_ number: Int, _ cellar: Cellar) {
    self.number = number
    self.cellar = cellar
  }
}

/// Deletions of objects that others need which are to leave them, without a cascade.
@Suite struct LeavingTests {
  private static let types: [any PersistentModel.Type] = [
    Porch.self, Bench.self, Cellar.self, Barrel.self,
  ]
  private let there: ModelContainer
  private let server: SyncServer
  private let ann: Peer

  init() throws { try self.init(policy: .serverWins) }

  private init(policy: SyncPolicy) throws {
    let models = [
      SyncedModel(Porch.self, key: \.name, policy: policy),
      SyncedModel(Bench.self, key: \.number, policy: policy),
      SyncedModel(Cellar.self, key: \.name, policy: policy),
      SyncedModel(Barrel.self, key: \.number, policy: policy),
    ]
    there = try Peer.container(Self.types)
    server = try SyncServer(there, models: models, rules: .everyoneSeesEverything)
    ann = try Peer(server, Self.types, models, limit: 4)
  }

  private func editThere(_ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(there)
    try body(context)
    try context.save()
  }

  private func begin() async throws {
    try editThere { context in
      context.insert(Bench(1, Porch("old")))
      context.insert(Barrel(1, Cellar("old")))
    }
    try await ann.engine.sync()
  }

  /// Moves everything to new objects at the server, and deletes the old ones.
  private func move() throws {
    try editThere { context in
      let bench = try #require(try context.fetch(FetchDescriptor<Bench>()).first)
      let barrel = try #require(try context.fetch(FetchDescriptor<Barrel>()).first)
      let (porch, cellar) = (bench.porch, barrel.cellar)
      bench.porch = Porch("new")
      barrel.cellar = Cellar("new")
      try context.save()
      context.delete(porch)
      context.delete(cellar)
    }
  }

  private func state(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    return try context.fetch(FetchDescriptor<Porch>()).map { "porch \($0.name) \($0.note)" }
      + context.fetch(FetchDescriptor<Bench>()).map { "bench in \($0.porch.name) \($0.text)" }
      + context.fetch(FetchDescriptor<Cellar>()).map { "cellar \($0.name) \($0.note)" }
      + context.fetch(FetchDescriptor<Barrel>()).map { "barrel in \($0.cellar.name) \($0.text)" }
  }

  private func expect(_ expected: [String]) async throws {
    for container in [there, ann.container] { #expect(try state(container) == expected) }
    #expect(try await ann.engine.unsynced().isEmpty)
  }

  @Test func aDeletionWaitsForTheNewDestinationOfALaterPage() async throws {
    try await begin()
    try move()
    _ = try await server.pull(after: nil, user: "ann", limit: 1)
    // The new objects come last.
    try editThere { context in
      try context.fetch(FetchDescriptor<Porch>()).forEach { $0.note = "note" }
      try context.fetch(FetchDescriptor<Cellar>()).forEach { $0.note = "note" }
    }
    for _ in 0..<2 { try await ann.engine.sync() }
    try await expect([
      "porch new note", "bench in new ", "cellar new note", "barrel in new ",
    ])
  }

  @Test(arguments: [SyncPolicy.serverWins, .clientWins])
  func editsInConflictWithAMoveAndADeletionAreMerged(policy: SyncPolicy) async throws {
    let tests = try LeavingTests(policy: policy)
    try await tests.begin()
    try tests.move()
    try tests.ann.edit { context in
      let bench = try #require(try context.fetch(FetchDescriptor<Bench>()).first)
      bench.text = "ann"
      bench.porch.note = "ann"
      let barrel = try #require(try context.fetch(FetchDescriptor<Barrel>()).first)
      barrel.text = "ann"
      barrel.cellar.note = "ann"
    }
    for _ in 0..<3 { try await tests.ann.engine.sync() }
    let isServer = if case .serverWins = policy { true } else { false }
    for container in [tests.there, tests.ann.container] {
      let state = try tests.state(container)
      #expect(state.contains("bench in new ann") && state.contains("barrel in new ann"))
      #expect(state.contains("porch old ann") == !isServer)
      #expect(state.contains("cellar old ann") == !isServer)
    }
    #expect(try await tests.ann.engine.unsynced().isEmpty)
    #expect(try await tests.ann.engine.conflicts().count == 2)
  }
}
