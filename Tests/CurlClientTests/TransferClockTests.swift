import Testing

@testable import CurlClient

@Suite("The time of a transfer")
struct TransferClockTests {
  private let start = ContinuousClock.now

  private func clock(idle: Duration?, total: Duration?) -> TransferClock {
    var request = CurlRequest("http://127.0.0.1/")
    request.idleTimeout = idle
    request.totalTimeout = total
    return TransferClock(request, start: start)
  }

  @Test("has no end without limits") func unlimited() {
    var clock = clock(idle: nil, total: nil)
    let deadline = clock.deadline(at: start, isConnected: true, isPaused: false)
    #expect(deadline == nil)
  }

  @Test("takes limits of any size") func extremes() {
    for limit in [Duration.seconds(Int64.max) * 18, .seconds(Int64.min), .zero] {
      var clock = clock(idle: limit, total: limit)
      let deadline = clock.deadline(at: start, isConnected: true, isPaused: false)
      #expect(deadline != nil)
      #expect((1...1_000).contains(limit.milliseconds(atMost: 1_000)))
    }
  }

  @Test("ends after the total time, whatever arrives") func total() {
    var clock = clock(idle: .seconds(9), total: .seconds(10))
    clock.noteProgress(at: start + .seconds(8))
    let deadline = clock.deadline(at: start + .seconds(8), isConnected: true, isPaused: false)
    #expect(deadline?.0 == start + .seconds(10))
    #expect(deadline?.1.code == .totalTimeout)
  }

  @Test("doesn't count the making of the connection as waiting") func connecting() {
    var clock = clock(idle: .seconds(1), total: nil)
    let early = clock.deadline(at: start + .seconds(5), isConnected: false, isPaused: false)
    #expect(early == nil)
    let first = clock.deadline(at: start + .seconds(6), isConnected: true, isPaused: false)
    #expect(first?.0 == start + .seconds(7))
    #expect(first?.1.code == .idleTimeout)
    let second = clock.deadline(at: start + .seconds(6.5), isConnected: true, isPaused: false)
    #expect(second?.0 == start + .seconds(7), "nothing arrived")
    clock.noteProgress(at: start + .seconds(6.9))
    let third = clock.deadline(at: start + .seconds(7), isConnected: true, isPaused: false)
    #expect(third?.0 == start + .seconds(7.9))
  }

  @Test("doesn't count the reader's time as the server's") func paused() {
    var clock = clock(idle: .seconds(1), total: nil)
    clock.noteProgress(at: start)
    let paused = clock.deadline(at: start + .seconds(5), isConnected: true, isPaused: true)
    #expect(paused == nil)
    let resumed = clock.deadline(at: start + .seconds(60), isConnected: true, isPaused: false)
    #expect(resumed?.0 == start + .seconds(61))
  }
}
