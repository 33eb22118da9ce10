import Foundation
import SwiftData
import SwiftDataSync
import Synchronization
import Testing

/// The remaining work of a stopped engine.
@Suite(.timeLimit(.minutes(20))) struct StopTests {
  private func engine(_ container: ModelContainer, _ server: LateServer) throws -> SyncEngine {
    try SyncEngine(container, models: Fixture.models(), transport: server, timing: Fixture.timing)
  }

  private func container(withEdit isEdited: Bool) throws -> ModelContainer {
    let container = try Fixture.container()
    guard isEdited else { return container }
    let context = ModelContext(container)
    context.insert(Park(number: 1, name: "a"))
    try context.save()
    return container
  }

  @Test(arguments: [true, false]) func nothingBeginsAfterAStopThoughTheAnswerHasArrived(
    isPush: Bool
  ) async throws {
    let server = LateServer(held: .max)
    let engine = try engine(try container(withEdit: isPush), server)
    await engine.start()
    for await _ in server.begun { break }
    await engine.stop()
    #expect(engine.status.state.activity == .idle)
    #expect(server.calls == [isPush ? "push" : "pull"])
    #expect(server.running == 0)
    // The response is processed nevertheless.
    #expect(try await engine.pendingCount() == 0)
  }

  @Test func aStoppedSyncReportsItAndTheNextOneContinues() async throws {
    let server = LateServer(held: 1)
    let engine = try engine(try container(withEdit: false), server)
    let attempt = Task { try await engine.sync() }
    for await _ in server.begun { break }
    await engine.stop()
    let failure = await #expect(throws: SyncFailure.self) { try await attempt.value }
    #expect(failure?.kind == .suspended)
    #expect(server.calls == ["pull"])
    try await engine.sync()
    #expect(server.calls == ["pull", "pull c1"])
  }

  @Test func aPausedSyncReportsItAndTheNextOneContinues() async throws {
    let server = LateServer(held: 0)
    let engine = try engine(try container(withEdit: true), server)
    await engine.pause()
    let failure = await #expect(throws: SyncFailure.self) { try await engine.sync() }
    #expect(failure?.kind == .suspended)
    #expect(server.calls.isEmpty)
    await engine.resume()
    try await engine.sync()
    #expect(server.calls.first == "push")
  }

  @Test func aStoppedEngineSendsNothingUntilItIsStarted() async throws {
    let server = LateServer(held: 0)
    let engine = try engine(try container(withEdit: true), server)
    await engine.stop()
    await engine.setOnline(false)
    await engine.setOnline(true)
    await engine.resume()
    try await engine.retryQuarantined()
    #expect(engine.status.state.activity == .idle)
    #expect(server.calls.isEmpty)
    await engine.start()
    for await state in engine.status.states where state.lastPull != nil { break }
    #expect(server.calls == ["push", "pull", "pull c1"])
    await engine.stop()
  }
}

/// A server that responds to its first calls when they are cancelled, as if the responses had just arrived.
private final class LateServer: SyncTransport {
  private let state = Mutex((calls: [String](), running: 0))
  private let held: Int
  /// An element for each call that has begun.
  let begun: AsyncStream<Void>
  private let beginning: AsyncStream<Void>.Continuation

  /// - Parameter held: The number of calls that are answered only when they are cancelled.
  init(held: Int) {
    self.held = held
    (begun, beginning) = AsyncStream.makeStream(of: Void.self)
  }

  var calls: [String] { state.withLock { $0.calls } }
  var running: Int { state.withLock { $0.running } }

  private func receive(_ call: String) async {
    let number = state.withLock { state in
      state.calls.append(call)
      state.running += 1
      return state.calls.count
    }
    beginning.yield()
    if number <= held { await cancellation() }
    state.withLock { $0.running -= 1 }
  }

  /// Waits until the task is cancelled, which ends the stream.
  private func cancellation() async {
    let (nothing, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in nothing {}
    continuation.finish()
  }

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    await receive("push")
    return Dictionary(uniqueKeysWithValues: changes.map { ($0.id, .accepted(version: 1)) })
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    await receive((["pull"] + [cursor].compactMap(\.self)).joined(separator: " "))
    return SyncPage(changes: [], cursor: cursor == nil ? "c1" : "c2", hasMore: cursor == nil)
  }
}
