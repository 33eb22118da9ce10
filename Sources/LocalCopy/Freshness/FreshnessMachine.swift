import Foundation

/// Tracks the freshness of a copy. It has no clock: the caller passes the time.
package struct FreshnessMachine: Sendable {
  private let maximumAge: Double
  private var lastGood: Date?
  private var lastFailure: (error: LocalCopyError, at: Date)?
  private var progress: RefreshProgress?

  /// - Parameters:
  ///   - maximumAge: the age at which a copy becomes stale.
  ///   - lastGood: the time at which the stored copy was last known to match the feed.
  package init(maximumAge: Duration, lastGood: Date?) {
    self.maximumAge = max(0, maximumAge.inSeconds)
    self.lastGood = lastGood
  }

  package mutating func started() { progress = RefreshProgress() }

  /// Records progress; late reports of a refresh that has ended are ignored.
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

  /// Records that another process has refreshed or removed the copy. A later failure of this
  /// process remains in effect.
  package mutating func caughtUp(lastGood: Date?) {
    self.lastGood = lastGood
    if let lastFailure, let lastGood, lastFailure.at <= lastGood { self.lastFailure = nil }
  }

  /// Records that a refresh was cancelled: the copy is unchanged.
  package mutating func cancelled() { progress = nil }

  package func state(at now: Date) -> LocalCopyState {
    if let progress { return .refreshing(progress, lastGood: lastGood) }
    if let lastFailure {
      return .offline(lastFailure.error, at: lastFailure.at, lastGood: lastGood)
    }
    guard let lastGood else { return .empty }
    return isStale(at: now) ? .stale(since: lastGood) : .fresh(since: lastGood)
  }

  /// Whether the copy is missing or too old. A copy with a date in the future, after the clock was
  /// set back, counts as too old.
  package func isStale(at now: Date) -> Bool {
    guard let lastGood else { return true }
    return !(0..<maximumAge).contains(now.timeIntervalSince(lastGood))
  }

  /// The time until the state changes by itself, in seconds; nil if it doesn't.
  package func untilChange(at now: Date) -> Double? {
    switch state(at: now) {
    case .fresh(let since): since.addingTimeInterval(maximumAge).timeIntervalSince(now)
    // It is from the future until then.
    case .stale(let since) where since > now: since.timeIntervalSince(now)
    default: nil
    }
  }
}
