import Foundation
import Synchronization

/// When the feed is loaded next.
final class RefreshPlan: Sendable {
  /// The same moment on two clocks: the first never jumps, the second is for people.
  private struct Moment: Sendable {
    let instant: ContinuousClock.Instant
    let date: Date
  }

  private let moment = Mutex<Moment?>(nil)

  /// When, for people; nil while nothing is planned.
  var date: Date? { moment.withLock { $0?.date } }

  /// Plans it that long from now; nil drops the plan.
  func set(_ pause: Duration?) {
    let planned = pause.map(Self.moment)
    moment.withLock { $0 = planned }
  }

  /// Puts it off until then, if there is a plan and it is sooner.
  func putOff(_ pause: Duration) {
    let later = Self.moment(pause)
    moment.withLock { moment in
      if let planned = moment, planned.instant < later.instant { moment = later }
    }
  }

  /// Waits until the time has come, also when it is put off meanwhile.
  /// - Throws: `CancellationError`.
  func wait() async throws {
    while let instant = moment.withLock({ $0?.instant }), instant > .now {
      try await Task.sleep(until: instant, clock: .continuous)
    }
  }

  private static func moment(_ pause: Duration) -> Moment {
    Moment(instant: .now + pause, date: Date(timeIntervalSinceNow: pause / .seconds(1)))
  }
}
