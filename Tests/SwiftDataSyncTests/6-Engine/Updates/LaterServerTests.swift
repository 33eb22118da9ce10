import Foundation
import SwiftData
import SwiftDataSync
import Synchronization
import Testing

/// Devices that synchronize properties which their server lacks until its update: it accepts values of them without
/// storing them.
@Suite("An update of the server, after that of the app,") struct LaterServerTests {
  private let there: ModelContainer
  private let line: ServerLine
  private let (ann, bob): (ModelContainer, ModelContainer)

  init() throws {
    there = try Fixture.container()
    line = ServerLine(
      try SyncServer(
        there, models: [SyncedModel(Park.self, key: \.number, excluding: [\.note, \.tags])],
        rules: .everyoneSeesEverything))
    (ann, bob) = (try Fixture.container(), try Fixture.container())
  }

  private func engine(_ container: ModelContainer, _ policy: SyncPolicy) throws -> SyncEngine {
    try SyncEngine(
      container, models: [SyncedModel(Park.self, key: \.number, policy: policy)],
      transport: line, timing: Fixture.timing)
  }

  private func updateServer() throws {
    line.server = try SyncServer(
      there, models: [SyncedModel(Park.self, key: \.number)], rules: .everyoneSeesEverything)
  }

  private func edit(_ container: ModelContainer, _ body: (Park) -> Void) throws {
    let context = ModelContext(container)
    for park in try context.fetch(FetchDescriptor<Park>()) { body(park) }
    try context.save()
  }

  private func texts(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Park>()).map { park in
      "\(park.number) \(park.name) \(park.note ?? "-") \(park.tags)"
    }.sorted()
  }

  /// Inserts a park, lets both devices have it, and edits what the server lacks.
  private func begin(_ policy: SyncPolicy) async throws -> (ann: SyncEngine, bob: SyncEngine) {
    let engines = (ann: try engine(ann, policy), bob: try engine(bob, policy))
    let context = ModelContext(ann)
    context.insert(Park(number: 1, name: "a"))
    try context.save()
    for engine in [engines.ann, engines.bob] { try await engine.sync() }
    try edit(ann) { park in
      park.note = "ann"
      park.tags = ["t"]
    }
    let new = Park(number: 2, name: "b")
    new.note = "ann"
    context.insert(new)
    try context.save()
    for engine in [engines.ann, engines.bob] { try await engine.sync() }
    #expect(try texts(bob) == ["1 a - []", "2 b - []"])
    #expect(try await engines.ann.unsynced().isEmpty)
    return engines
  }

  @Test("gets what devices have of its new properties", arguments: [false, true])
  func sent(isClientWins: Bool) async throws {
    let engines = try await begin(isClientWins ? .clientWins : .serverWins)
    try updateServer()
    let count = line.pushes
    // One that has nothing of them sends nothing.
    try await engines.bob.sync()
    #expect(line.pushes == count)
    for engine in [engines.ann, engines.bob] { try await engine.sync() }
    for container in [there, ann, bob] {
      #expect(try texts(container) == ["1 a ann [\"t\"]", "2 b ann []"])
    }
    for engine in [engines.ann, engines.bob] {
      try await engine.sync()
      #expect(try await engine.unsynced().isEmpty)
      #expect(try await engine.conflicts().isEmpty)
    }
    #expect(line.pushes == count + 1)
    // Nothing but the initial value counts as one from now on.
    try edit(bob) { $0.note = nil }
    for engine in [engines.bob, engines.ann] { try await engine.sync() }
    #expect(try texts(ann) == ["1 a - [\"t\"]", "2 b - []"])
  }

  @Test("gets the values of the device that comes first") func first() async throws {
    let engines = try await begin(.serverWins)
    try edit(bob) { $0.note = "bob" }
    try await engines.bob.sync()
    try updateServer()
    for engine in [engines.ann, engines.bob, engines.ann] { try await engine.sync() }
    for container in [there, ann, bob] {
      #expect(try texts(container) == ["1 a ann [\"t\"]", "2 b ann []"])
    }
  }

  @Test("is told by a comparison of everything, too") func compared() async throws {
    _ = try await begin(.serverWins)
    try updateServer()
    line.losesCursors = true
    for container in [ann, bob] { try await engine(container, .serverWins).sync() }
    for container in [there, ann, bob] {
      #expect(try texts(container) == ["1 a ann [\"t\"]", "2 b ann []"])
    }
  }

  /// An engine of 0.1.0 doesn't know ``SyncRemote/unset``.
  @Test("takes nothing from a device of an earlier version, which sends it with the next edit")
  func earlier() async throws {
    line.namesUnset = false
    let engines = try await begin(.serverWins)
    try updateServer()
    let count = line.pushes
    for engine in [engines.ann, engines.bob] { try await engine.sync() }
    #expect(line.pushes == count)
    #expect(try texts(ann) == ["1 a ann [\"t\"]", "2 b ann []"])
    #expect(try texts(bob) == ["1 a - []", "2 b - []"])
    try edit(ann) { $0.name += "!" }
    for engine in [engines.ann, engines.bob] { try await engine.sync() }
    for container in [there, ann, bob] {
      #expect(try texts(container) == ["1 a! ann [\"t\"]", "2 b! ann []"])
    }
  }
}

/// A connection to a server that can be exchanged.
private final class ServerLine: SyncTransport {
  private struct State {
    var server: SyncServer
    var namesUnset = true
    var losesCursors = false
    var pushes = 0
  }

  private let state: Mutex<State>

  init(_ server: SyncServer) { state = Mutex(State(server: server)) }

  var server: SyncServer {
    get { state.withLock { $0.server } }
    set { state.withLock { $0.server = newValue } }
  }

  var namesUnset: Bool {
    get { state.withLock { $0.namesUnset } }
    set { state.withLock { $0.namesUnset = newValue } }
  }

  /// Whether every pull begins anew.
  var losesCursors: Bool {
    get { state.withLock { $0.losesCursors } }
    set { state.withLock { $0.losesCursors = newValue } }
  }

  var pushes: Int { state.withLock { $0.pushes } }

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    state.withLock { $0.pushes += 1 }
    return try await server.push(changes, client: client, user: "ann")
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    var page = try await server.pull(after: losesCursors ? nil : cursor, user: "ann")
    if !namesUnset {
      for index in page.changes.indices { page.changes[index].unset = [] }
    }
    return page
  }
}
