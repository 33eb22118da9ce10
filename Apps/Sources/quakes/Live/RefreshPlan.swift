import Foundation
import Synchronization

/// The time of the next refresh.
final class RefreshPlan: Sendable {
  /// The same time on two clocks: the first never jumps, the second is for display.
  private struct Moment: Sendable {
    let instant: ContinuousClock.Instant
    let date: Date
  }

  private let moment = Mutex<Moment?>(nil)

  /// The planned time, for display; nil while nothing is planned.
  var date: Date? { moment.withLock { $0?.date } }

  /// Plans the refresh after a pause; nil cancels the plan.
  func set(_ pause: Duration?) {
    let planned = pause.map(Self.moment)
    moment.withLock { $0 = planned }
  }

  /// Postpones a planned refresh to the end of a pause, if it is planned earlier.
  func putOff(_ pause: Duration) {
    let later = Self.moment(pause)
    moment.withLock { moment in
      if let planned = moment, planned.instant < later.instant { moment = later }
    }
  }

  /// Waits for the planned time, even if it is postponed meanwhile.
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
