import Foundation
import SwiftData
import SwiftDataSync
import Synchronization
import Testing

/// Pages that are requested while the previous page is being stored.
@Suite struct ReadAheadTests {
  private static func park(_ number: Int, _ name: String = "theirs", version: Int64 = 1)
    -> SyncRemote
  {
    SyncRemote(
      object: SyncObjectID("Park", "\(number)"), version: version,
      values: ["name": .text(name), "mood": .text("calm")])
  }

  private static func page(
    behind cursor: String?, of count: Int, _ name: String = "theirs"
  ) -> SyncPage {
    let number = cursor.flatMap { Int($0.dropFirst()) } ?? 0
    return SyncPage(
      changes: [park(2 * number, name), park(2 * number + 1, name)], cursor: "c\(number + 1)",
      hasMore: number + 1 < count)
  }

  private func engine(_ container: ModelContainer, _ transport: ScriptedTransport) throws
    -> SyncEngine
  {
    try SyncEngine(
      container, models: Fixture.models(), transport: transport, timing: Fixture.timing)
  }

  private func names(_ container: ModelContainer) throws -> [Int: String] {
    let parks = try ModelContext(container).fetch(FetchDescriptor<Park>())
    return Dictionary(uniqueKeysWithValues: parks.map { ($0.number, $0.name) })
  }

  @Test func eachPageIsRequestedOnceAndInOrder() async throws {
    let container = try Fixture.container()
    let transport = ScriptedTransport { cursor, _ in
      Self.page(behind: cursor, of: 5)
    }
    let report = try await engine(container, transport).sync()
    #expect(transport.calls == ["pull", "pull c1", "pull c2", "pull c3", "pull c4"])
    #expect(transport.mostAtOnce == 1)
    #expect(report.received == 10)
    #expect(try names(container).count == 10)
  }

  @Test func anEditThatIsSentFirstMakesThePageWorthless() async throws {
    let container = try Fixture.container()
    let transport = ScriptedTransport { cursor, times in
      if cursor == nil {
        // Saved before the first page is stored, so it is sent before the second page is needed.
        let context = ModelContext(container)
        context.insert(Park(number: 100, name: "mine"))
        try context.save()
        return Self.page(behind: nil, of: 2)
      }
      return Self.page(behind: cursor, of: 2, times == 1 ? "too early" : "theirs")
    }
    try await engine(container, transport).sync()
    #expect(transport.calls == ["pull", "pull c1", "push 100", "pull c1"])
    #expect(transport.mostAtOnce == 1)
    #expect(
      try names(container) == [0: "theirs", 1: "theirs", 2: "theirs", 3: "theirs", 100: "mine"])
  }

  @Test func aCursorThatIsWorthNothingBeginsAComparison() async throws {
    let container = try Fixture.container()
    let transport = ScriptedTransport { cursor, times in
      if cursor == "c1", times == 1 { throw SyncFailure(.cursorExpired, "") }
      return Self.page(behind: cursor, of: 3, cursor == nil && times == 1 ? "old" : "theirs")
    }
    try await engine(container, transport).sync()
    #expect(transport.calls == ["pull", "pull c1", "pull", "pull c1", "pull c2"])
    #expect(try names(container).count == 6)
  }

  @Test func nothingIsRequestedWhileTheEngineIsPaused() async throws {
    let container = try Fixture.container()
    let paused = Mutex<SyncEngine?>(nil)
    let transport = ScriptedTransport { cursor, times in
      if cursor == "c1", times == 1 { await paused.withLock { $0 }?.pause() }
      return Self.page(behind: cursor, of: 4)
    }
    let engine = try engine(container, transport)
    paused.withLock { $0 = engine }
    await #expect(throws: SyncFailure.self) { try await engine.sync() }
    #expect(transport.calls == ["pull", "pull c1"])
    await engine.resume()
    try await engine.sync()
    #expect(try names(container).count == 8)
    paused.withLock { $0 = nil }
  }

  @Test func aPageThatFailsLeavesWhatWasStoredBefore() async throws {
    let container = try Fixture.container()
    let transport = ScriptedTransport { cursor, times in
      if cursor == "c1", times == 1 { throw SyncFailure(.offline, "cut") }
      return Self.page(behind: cursor, of: 3)
    }
    let engine = try engine(container, transport)
    await #expect(throws: SyncFailure(.offline, "cut")) { try await engine.sync() }
    #expect(try names(container).count == 2)
    try await engine.sync()
    #expect(transport.calls == ["pull", "pull c1", "pull c1", "pull c2"])
    #expect(try names(container).count == 6)
  }
}

/// A server with scripted answers, which records the requests.
private final class ScriptedTransport: SyncTransport {
  private struct State {
    var calls: [String] = []
    var times: [String: Int] = [:]
    var (running, most) = (0, 0)
  }

  private let state = Mutex(State())
  private let answer: @Sendable (_ cursor: String?, _ times: Int) async throws -> SyncPage

  /// - Parameter answer: Returns the page after a cursor; `times` counts the requests for it.
  init(_ answer: @escaping @Sendable (_ cursor: String?, _ times: Int) async throws -> SyncPage) {
    self.answer = answer
  }

  var calls: [String] { state.withLock { $0.calls } }
  var mostAtOnce: Int { state.withLock { $0.most } }

  private func begin(_ call: String) -> Int {
    state.withLock { state in
      state.calls.append(call)
      state.times[call, default: 0] += 1
      state.running += 1
      state.most = max(state.most, state.running)
      return state.times[call] ?? 0
    }
  }

  private func end() { state.withLock { $0.running -= 1 } }

  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome] {
    _ = begin((["push"] + changes.map(\.object.key)).joined(separator: " "))
    defer { end() }
    return Dictionary(uniqueKeysWithValues: changes.map { ($0.id, .accepted(version: 9)) })
  }

  func pull(after cursor: String?, client: String) async throws -> SyncPage {
    let times = begin((["pull"] + [cursor].compactMap(\.self)).joined(separator: " "))
    defer { end() }
    return try await answer(cursor, times)
  }
}
