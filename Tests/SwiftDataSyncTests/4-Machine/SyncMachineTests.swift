import SwiftDataSync
import TestSupport
import Testing

@Suite struct SyncMachineTests {
  private var random = SeededGenerator(seed: 1)
  private var timing: SyncTiming {
    var timing = SyncTiming()
    timing.pullInterval = .seconds(60)
    return timing
  }

  private func items(_ ids: String...) -> [SyncMachine.Item] {
    ids.enumerated().map { SyncMachine.Item(id: $1, unit: Int64($0)) }
  }

  /// Returns a machine that has just received these changes and sends them.
  private mutating func pushing(_ ids: [SyncMachine.Item]) -> SyncMachine {
    var machine = SyncMachine(timing, inFlight: [])
    #expect(tell(&machine, .timer) == .prepare(limit: 500))
    #expect(tell(&machine, .prepared(ids)) == .push(ids.map(\.id)))
    return machine
  }

  private mutating func tell(
    _ machine: inout SyncMachine, _ input: SyncMachine.Input, at now: Duration = .seconds(1)
  ) -> SyncMachine.Action {
    machine.handle(input, now: now, using: &random)
  }

  @Test mutating func whatIsUnderWayIsSettledBeforeAnythingIsPulled() {
    var machine = SyncMachine(timing, inFlight: items("a"))
    #expect(tell(&machine, .pullRequested) == .push(["a"]))
    #expect(tell(&machine, .settled([])) == .prepare(limit: 500))
    #expect(tell(&machine, .prepared([])) == .pull)
    #expect(tell(&machine, .pulled(hasMore: true)) == .prepare(limit: 500))
    #expect(tell(&machine, .prepared([])) == .pull)
    #expect(tell(&machine, .pulled(hasMore: false)) == .prepare(limit: 500))
    #expect(tell(&machine, .prepared([])) == .wait(until: .seconds(61)))
    #expect(tell(&machine, .timer, at: .seconds(61)) == .pull)
  }

  @Test mutating func aServerThatSaysAtOnceIsAskedAsRarelyAsOneThatSaysNothing() {
    var machine = pushing(items("a"))
    var longest = Duration.zero
    for pause in 0..<12 {
      let failure = SyncFailure(.throttled(after: pause % 2 == 0 ? .zero : .seconds(-5)), "")
      guard case .wait(let time?) = tell(&machine, .pushFailed(failure), at: .zero) else {
        Issue.record("no pause")
        return
      }
      longest = max(longest, time)
      #expect(tell(&machine, .timer, at: time) == .push(["a"]))
    }
    #expect(longest > .seconds(30))
  }

  @Test mutating func pausesDoNotGrowWhileAttachmentsArrive() {
    var machine = pushing(items("a"))
    let offline = SyncMachine.Input.pushFailed(SyncFailure(.offline, ""))
    for failures in 1...3 {
      guard case .wait(let time?) = tell(&machine, offline, at: .zero) else {
        Issue.record("no pause")
        return
      }
      #expect(machine.failures == failures)
      // It counts during an exchange only.
      #expect(tell(&machine, .transferred, at: .zero) == .wait(until: time))
      #expect(tell(&machine, .timer, at: time) == .push(["a"]))
    }
    for _ in 1...12 {
      #expect(tell(&machine, .transferred, at: .zero) == .wait(until: nil))
      guard case .wait(let time?) = tell(&machine, offline, at: .zero) else {
        Issue.record("no pause")
        return
      }
      #expect(time <= .seconds(1) && machine.failures == 1)
      #expect(tell(&machine, .timer, at: time) == .push(["a"]))
    }
    _ = tell(&machine, .transferred, at: .zero)
    let throttled = SyncFailure(.throttled(after: .seconds(500)), "")
    guard case .wait(let time?) = tell(&machine, .pushFailed(throttled), at: .zero) else {
      Issue.record("no pause")
      return
    }
    #expect(time >= .seconds(500))
  }

  @Test mutating func pausesGrowAndAServerIsObeyed() {
    var machine = pushing(items("a"))
    var bound = Duration.seconds(1)
    for _ in 0..<12 {
      guard
        case .wait(let time?) = tell(&machine, .pushFailed(SyncFailure(.offline, "")), at: .zero)
      else {
        Issue.record("no pause")
        return
      }
      #expect(time <= bound)
      bound = min(bound * 2, .seconds(300))
      #expect(tell(&machine, .timer, at: time) == .push(["a"]))
    }
    let wait = tell(
      &machine, .pushFailed(SyncFailure(.throttled(after: .seconds(500)), "")), at: .zero)
    guard case .wait(let time?) = wait else {
      Issue.record("no pause")
      return
    }
    #expect(time >= .seconds(500))
    // A request of the user doesn't shorten the server's delay.
    #expect(tell(&machine, .pullRequested, at: .seconds(1)) == wait)
  }

  @Test mutating func thePoisonedChangeIsFoundAndSetAside() {
    var machine = pushing(items("a", "b", "c", "d"))
    let refused = SyncMachine.Input.pushFailed(SyncFailure(.refused, "no"))
    #expect(tell(&machine, refused) == .push(["a", "b"]))
    #expect(tell(&machine, refused) == .push(["a"]))
    #expect(
      tell(&machine, refused)
        == .park(["a"], .rejected(SyncRejection(code: "refused", message: "no"))))
    let rest = Array(items("a", "b", "c", "d").dropFirst())
    #expect(tell(&machine, .settled(rest)) == .push(["b"]))
    #expect(tell(&machine, .settled(Array(rest.dropFirst()))) == .push(["c", "d"]))
  }

  @Test mutating func whatWasSavedTogetherIsNotDivided() {
    let pair = [SyncMachine.Item(id: "a", unit: 1), SyncMachine.Item(id: "b", unit: 1)]
    var machine = pushing(pair)
    #expect(
      tell(&machine, .pushFailed(SyncFailure(.refused, "no")))
        == .park(["a", "b"], .rejected(SyncRejection(code: "refused", message: "no"))))
  }

  @Test mutating func aServerInTroubleIsNotAPoisonedChange() {
    var machine = pushing(items("a"))
    let failed = SyncMachine.Input.pushFailed(SyncFailure(.server, "500"))
    func next(_ action: SyncMachine.Action) -> Duration {
      if case .wait(let time?) = action { time } else { .zero }
    }
    for _ in 0..<3 {
      let time = next(tell(&machine, failed))
      #expect(tell(&machine, .timer, at: time) == .push(["a"]))
    }
    #expect(tell(&machine, failed) == .probe)
    // The server fails at everything: the change isn't at fault.
    let time = next(tell(&machine, .probed(SyncFailure(.server, "500"))))
    #expect(tell(&machine, .timer, at: time) == .push(["a"]))
    for _ in 0..<3 { _ = tell(&machine, .timer, at: next(tell(&machine, failed))) }
    #expect(tell(&machine, failed) == .probe)
    #expect(tell(&machine, .probed(nil)) == .park(["a"], .failing(message: "500")))
  }

  /// A machine that has sent a change without success until it probes the server.
  private mutating func probing() -> SyncMachine {
    var machine = pushing(items("a"))
    let failed = SyncMachine.Input.pushFailed(SyncFailure(.server, "500"))
    var action = tell(&machine, failed)
    for _ in 0..<3 {
      guard case .wait(let time?) = action else { break }
      #expect(tell(&machine, .timer, at: time) == .push(["a"]))
      action = tell(&machine, failed)
    }
    #expect(action == .probe)
    return machine
  }

  @Test mutating func aProbeThatIsRefusedAsksForWhatAPullWouldAskFor() {
    let kinds: [SyncFailure.Kind] = [
      .authentication, .forbidden, .incompatible, .suspended, .localStore,
    ]
    for kind in kinds {
      var machine = probing()
      let failure = SyncFailure(kind, "no")
      #expect(tell(&machine, .probed(failure)) == .wait(until: nil))
      #expect(machine.pause == .failure(failure))
      #expect(tell(&machine, .edited, at: .seconds(3_600)) == .wait(until: nil))
      #expect(tell(&machine, .resume) == .push(["a"]))
    }
  }

  @Test mutating func aProbeThatFindsNoServerOrABusyOneWaitsAsAPullWould() {
    var machine = probing()
    let throttled = SyncFailure(.throttled(after: .seconds(500)), "later")
    guard case .wait(let time?) = tell(&machine, .probed(throttled)) else {
      Issue.record("no pause")
      return
    }
    #expect(time >= .seconds(501))
    #expect(machine.failure == throttled)
    machine = probing()
    let offline = SyncFailure(.offline, "no network")
    guard case .wait(.some) = tell(&machine, .probed(offline)) else {
      Issue.record("no pause")
      return
    }
    #expect(machine.isOffline)
  }

  @Test mutating func aProbeWithAnExpiredCursorShowsAHealthyServer() {
    var machine = probing()
    #expect(
      tell(&machine, .probed(SyncFailure(.cursorExpired, "anew")))
        == .park(["a"], .failing(message: "500")))
  }

  @Test mutating func credentialsAndConnectivityDecideWhetherAnythingHappens() {
    var machine = pushing(items("a"))
    #expect(
      tell(&machine, .pushFailed(SyncFailure(.authentication, ""))) == .wait(until: nil))
    #expect(tell(&machine, .edited) == .wait(until: nil))
    #expect(tell(&machine, .resume) == .push(["a"]))
    #expect(tell(&machine, .connectivity(false)) == .wait(until: nil))
    #expect(tell(&machine, .pushFailed(SyncFailure(.offline, ""))) == .wait(until: nil))
    #expect(machine.isOffline)
    // The network is available again: the delay is skipped.
    #expect(tell(&machine, .connectivity(true)) == .push(["a"]))
  }

  @Test mutating func aStoppedMachineBeginsNothingUntilItIsStarted() {
    var machine = pushing(items("a", "b"))
    let wait = SyncMachine.Action.wait(until: nil)
    #expect(tell(&machine, .stop) == wait)
    #expect(tell(&machine, .settled(Array(items("a", "b").dropFirst()))) == wait)
    for input in [SyncMachine.Input.edited, .resume, .connectivity(true), .timer] {
      #expect(tell(&machine, input) == wait)
    }
    #expect(tell(&machine, .start) == .push(["b"]))
    #expect(tell(&machine, .stop) == wait)
    #expect(tell(&machine, .settled([])) == wait)
    #expect(tell(&machine, .pullRequested) == .prepare(limit: 500))
  }

  @Test mutating func aStoppedMachineDoesNotProbe() {
    var machine = pushing(items("a"))
    let failed = SyncMachine.Input.pushFailed(SyncFailure(.server, "500"))
    for _ in 0..<3 {
      guard case .wait(let time?) = tell(&machine, failed) else {
        Issue.record("no pause")
        return
      }
      #expect(tell(&machine, .timer, at: time) == .push(["a"]))
    }
    #expect(tell(&machine, .stop) == .wait(until: nil))
    #expect(tell(&machine, failed) == .wait(until: nil))
  }

  @Test mutating func anExpiredCursorBeginsAComparison() {
    var machine = SyncMachine(timing, inFlight: [])
    _ = tell(&machine, .timer)
    #expect(tell(&machine, .prepared([])) == .pull)
    #expect(
      tell(&machine, .pullFailed(SyncFailure(.cursorExpired, ""))) == .beginComparison)
    #expect(tell(&machine, .comparisonBegun) == .pull)
  }

  @Test mutating func anAnswerWithoutOutcomesIsAFailure() {
    var machine = pushing(items("a"))
    guard case .wait(.some) = tell(&machine, .settled(items("a"))) else {
      Issue.record("it goes on at once")
      return
    }
  }
}
