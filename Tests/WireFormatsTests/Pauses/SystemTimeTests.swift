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
}
