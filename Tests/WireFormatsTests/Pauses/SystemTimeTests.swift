import Testing
import WireFormats

@Suite("The system's time")
struct SystemTimeTests {
  @Test("Uptime never goes back, and a cancelled pause ends at once")
  func pauses() async {
    let time = SystemTime()
    let start = time.uptime
    let task = Task { try await time.sleep(for: .seconds(3_600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(time.uptime >= start)
    #expect(time.uptime < .seconds(3_600))
  }

  @Test("A pause as long as can be said, for no limit, goes on until it is cancelled")
  func longestPause() async {
    let (begins, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      continuation.finish()
      try await SystemTime().sleep(for: .seconds(Int64.max))
    }
    for await _ in begins {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
