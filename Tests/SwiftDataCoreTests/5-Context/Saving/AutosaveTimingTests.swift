import Testing

@testable import SwiftDataCore

@Suite("Timing of automatic saves") struct AutosaveTimingTests {
  private func enabled() -> AutosaveTiming {
    var timing = AutosaveTiming()
    timing.enable(true)
    return timing
  }

  @Test("Without the flag nothing is scheduled") func disabled() {
    var timing = AutosaveTiming()
    #expect(timing.schedule() == false)
    #expect(!timing.isScheduled)
  }

  @Test("Further changes don't schedule another save until it begins") func once() {
    var timing = enabled()
    #expect(timing.schedule() == true)
    #expect(timing.schedule() == false)
    #expect(timing.begin() == true)
    #expect(timing.schedule() == true)
  }

  @Test("A waiting save is due after the delay") func delay() {
    var timing = enabled()
    _ = timing.schedule()
    #expect(!timing.isDue(at: .max))
    timing.wait(from: 1_000)
    #expect(!timing.isDue(at: 999 + AutosaveTiming.delay))
    #expect(timing.isDue(at: 1_000 + AutosaveTiming.delay))
    timing.wait(from: .max - 1)
    #expect(timing.dueTime == .max)
  }

  @Test("A transaction keeps a due save waiting, and one that begins does nothing")
  func transaction() {
    var timing = enabled()
    _ = timing.schedule()
    timing.wait(from: 0)
    #expect(timing.beginTransaction() == false)
    let isNested = timing.beginTransaction()
    #expect(isNested)
    timing.endTransaction(within: isNested)
    #expect(!timing.isDue(at: .max))
    #expect(timing.begin() == false)
    timing.endTransaction(within: false)
    _ = timing.schedule()
    #expect(timing.begin() == true)
  }

  @Test("Turning the flag off cancels a waiting save, but not one that runs elsewhere")
  func turningOff() {
    var timing = enabled()
    _ = timing.schedule()
    timing.wait(from: 0)
    timing.enable(false)
    #expect(timing.dueTime == nil && !timing.isScheduled)
    timing.enable(true)
    _ = timing.schedule()
    timing.enable(false)
    #expect(timing.isScheduled)
    #expect(timing.begin() == false)
  }

  @Test("A refusal lasts until the next edit") func refusal() {
    var timing = enabled()
    timing.refuse()
    #expect(timing.isRefused)
    timing.retry()
    #expect(!timing.isRefused)
  }
}
