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
}
