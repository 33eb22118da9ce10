import Foundation

/// The freshness of a copy. In every state, readers have the complete last good copy.
public enum LocalCopyState: Sendable, Hashable {
  /// There has never been a copy.
  case empty
  /// The copy is younger than the maximum age.
  case fresh(since: Date)
  /// The copy has reached the maximum age.
  case stale(since: Date)
  /// A refresh is in progress.
  case refreshing(RefreshProgress, lastGood: Date?)
  /// The last refresh failed.
  case offline(LocalCopyError, at: Date, lastGood: Date?)

  /// The time at which the copy was last known to match the feed; nil when there is no copy.
  public var lastGood: Date? {
    switch self {
    case .empty: nil
    case .fresh(let date), .stale(let date): date
    case .refreshing(_, let date), .offline(_, _, let date): date
    }
  }
}
