import SwiftDataSync
import TestSupport
import Testing

/// Exchanges without progress, as the machine counts them.
@Suite struct RoundsTests {
  private var random = SeededGenerator(seed: 3)

  private mutating func tell(
    _ machine: inout SyncMachine, _ input: SyncMachine.Input, at now: Duration = .seconds(1)
  ) -> SyncMachine.Action {
    machine.handle(input, now: now, using: &random)
  }

  private let items = [SyncMachine.Item(id: "a", unit: 1)]

  @Test mutating func endlessConflictsGetGrowingPausesAndAreQuarantined() {
    var machine = SyncMachine(SyncTiming(), inFlight: [])
    var (now, pauses) = (Duration.zero, 0)
    #expect(tell(&machine, .timer) == .prepare(limit: 500))
    for _ in 0..<100 {
      let action = tell(&machine, .prepared(items), at: now)
      if case .park(let changes, .failing) = action {
        #expect(changes == ["a"])
        #expect((4...16).contains(pauses))
        #expect(tell(&machine, .settled([]), at: now) == .prepare(limit: 500))
        return
      }
      #expect(action == .push(["a"]))
      switch tell(&machine, .settled([], isProgress: false), at: now) {
      case .prepare: break
      case .wait(let time?):
        pauses += 1
        #expect(machine.failure?.kind == .server)
        now = time
        #expect(tell(&machine, .timer, at: now) == .prepare(limit: 500))
      case let other: Issue.record("\(other)")
      }
    }
    Issue.record("never set aside")
  }

  @Test mutating func progressBeginsTheCountAnew() {
    var machine = SyncMachine(SyncTiming(), inFlight: [])
    #expect(tell(&machine, .timer) == .prepare(limit: 500))
    for round in 0..<200 {
      #expect(tell(&machine, .prepared(items)) == .push(["a"]))
      #expect(
        tell(&machine, .settled([], isProgress: round % 10 == 9)) == .prepare(limit: 500))
    }
  }

  @Test mutating func pagesWithoutEndHaveAPause() {
    var timing = SyncTiming()
    timing.maximumRounds = 30
    var machine = SyncMachine(timing, inFlight: [])
    #expect(tell(&machine, .timer) == .prepare(limit: 500))
    #expect(tell(&machine, .prepared([])) == .pull)
    for _ in 0..<29 {
      #expect(tell(&machine, .pulled(hasMore: true)) == .prepare(limit: 500))
      #expect(tell(&machine, .prepared([])) == .pull)
    }
    guard case .wait(.some) = tell(&machine, .pulled(hasMore: true)) else {
      Issue.record("no pause")
      return
    }
  }

  @Test mutating func nothingUnderWayIsNothingToDivide() {
    for kind in [SyncFailure.Kind.refused, .tooLarge] {
      var machine = SyncMachine(SyncTiming(), inFlight: [])
      #expect(tell(&machine, .timer) == .prepare(limit: 500))
      #expect(tell(&machine, .prepared(items)) == .push(["a"]))
      let failure = SyncFailure(kind, "no", isUnsent: true)
      guard case .wait(.some) = tell(&machine, .unsent([], failure)) else {
        Issue.record("no pause")
        return
      }
    }
  }
}
