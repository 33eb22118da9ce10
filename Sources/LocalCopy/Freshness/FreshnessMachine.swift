import Foundation

/// Follows the life of a copy and says how good it is. It has no clock: the time is told.
package struct FreshnessMachine: Sendable {
  private let maximumAge: Double
  private var lastGood: Date?
  private var lastFailure: (error: LocalCopyError, at: Date)?
  private var progress: RefreshProgress?

  /// - Parameters:
  ///   - maximumAge: the age from which on a copy is stale.
  ///   - lastGood: when the stored copy was last known to be good.
  package init(maximumAge: Duration, lastGood: Date?) {
    self.maximumAge = maximumAge.inSeconds
    self.lastGood = lastGood
  }

  package mutating func started() { progress = RefreshProgress() }

  /// Notes progress; late news of a refresh that has ended are ignored.
  package mutating func progressed(_ progress: RefreshProgress) {
    if self.progress != nil { self.progress = progress }
  }

  package mutating func succeeded(lastGood: Date) {
    progress = nil
    lastFailure = nil
    self.lastGood = lastGood
  }

  package mutating func failed(_ error: LocalCopyError, at date: Date) {
    progress = nil
    lastFailure = (error, date)
  }

  /// Notes that somebody else has refreshed the copy, or done away with it. A failure of ours after
  /// that still stands.
  package mutating func caughtUp(lastGood: Date?) {
    self.lastGood = lastGood
    if let lastFailure, let lastGood, lastFailure.at <= lastGood { self.lastFailure = nil }
  }

  /// Notes that a refresh was called off: the copy is as it was before.
  package mutating func cancelled() { progress = nil }

  package func state(at now: Date) -> LocalCopyState {
    if let progress { return .refreshing(progress, lastGood: lastGood) }
    if let lastFailure {
      return .offline(lastFailure.error, at: lastFailure.at, lastGood: lastGood)
    }
    guard let lastGood else { return .empty }
    return isStale(at: now) ? .stale(since: lastGood) : .fresh(since: lastGood)
  }

  /// Whether the copy is missing or too old. One from the future, after the clock was set back,
  /// counts as too old.
  package func isStale(at now: Date) -> Bool {
    guard let lastGood else { return true }
    return !(0..<maximumAge).contains(now.timeIntervalSince(lastGood))
  }

  /// How long the state stays as it is if nothing happens, in seconds; nil for ever.
  package func untilChange(at now: Date) -> Double? {
    guard case .fresh(let since) = state(at: now) else { return nil }
    return since.addingTimeInterval(maximumAge).timeIntervalSince(now)
  }
}
