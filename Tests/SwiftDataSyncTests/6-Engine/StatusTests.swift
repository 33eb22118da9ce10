import Foundation
import Observation
import SwiftData
import SwiftDataSync
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(20))) struct StatusTests {
  /// Pauses an engine, and returns the stream of states that began just before the state changed. The stream ends with
  /// the engine.
  private func streamBegunMeanwhile() async throws -> AsyncStream<SyncState>? {
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: .everyoneSeesEverything)
    let client = try Client(server)
    let status = client.engine.status
    let begun = Mutex<AsyncStream<SyncState>?>(nil)
    withObservationTracking {
      _ = status.state
    } onChange: {
      begun.withLock { $0 = status.states }
    }
    await client.engine.pause()
    return begun.withLock { $0 }
  }

  @Test func aStreamThatBeginsWhileTheStateChangesGetsTheNewState() async throws {
    let states = try #require(try await streamBegunMeanwhile())
    var activities: [SyncState.Activity] = []
    for await state in states { activities.append(state.activity) }
    #expect(activities == [.idle, .paused(.requested)])
  }

  @Test func dismissalsLeaveConflictsThatCameLater() async throws {
    let server = try SyncServer(
      Fixture.container(), models: Fixture.models(), rules: .everyoneSeesEverything)
    let (ann, bob) = (try Client(server), try Client(server))
    try ann.edit { $0.insert(Park(number: 1, name: "a")) }
    for round in 1...2 {
      try await ann.engine.sync()
      try await bob.engine.sync()
      try ann.edit(park: 1) { $0.name = "ann's \(round)" }
      try bob.edit(park: 1) { $0.name = "bob's \(round)" }
      try await ann.engine.sync()
      try await bob.engine.sync()
    }
    let conflicts = try await bob.engine.conflicts()
    #expect(conflicts.count == 2)
    let dates = try conflicts.map { try #require($0.date) }
    let park = SyncObjectID("Park", "1")
    try await bob.engine.dismissConflicts(about: park, through: dates[1])
    #expect(try await bob.engine.conflicts() == [conflicts[0]])
    try await bob.engine.dismissConflicts(about: park, through: dates[0])
    #expect(try await bob.engine.conflicts().isEmpty)
  }
}
