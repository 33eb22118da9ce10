import Foundation
import LocalCopy
import Synchronization
import Testing

@testable import QuakesKit
@testable import quakes

@Suite("The first steps of a server", .timeLimit(.minutes(5)))
struct FirstStepsTests {
  @Test("A store that can't be read, at first or after the load, doesn't end the server")
  func unreadable() async throws {
    for readable in 0...1 {
      let reads = Mutex(0)
      let (failures, continuation) = AsyncStream.makeStream(of: Void.self)
      let steps = FirstSteps(
        count: {
          let read = reads.withLock { count in
            count += 1
            return count
          }
          if read <= readable { return 0 }
          continuation.finish()
          throw QuakesError(.storeFailure, "a.store", reason: "the store cannot be read")
        },
        states: {
          AsyncStream { states in
            states.yield(.fresh(since: Date(timeIntervalSince1970: 0)))
            states.finish()
          }
        })
      let running = Task { try await steps.run() }
      for await _ in failures {}
      running.cancel()
      await #expect(throws: CancellationError.self) { try await running.value }
    }
  }
}
