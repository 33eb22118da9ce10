import Foundation

/// How good the copy is. Whatever the state, readers have the whole last good copy.
public enum LocalCopyState: Sendable, Hashable {
  /// There has never been a copy.
  case empty
  /// The copy is young enough.
  case fresh(since: Date)
  /// The copy is older than the policy allows.
  case stale(since: Date)
  /// A refresh is under way.
  case refreshing(RefreshProgress, lastGood: Date?)
  /// The last refresh failed.
  case offline(LocalCopyError, at: Date, lastGood: Date?)

  /// When the copy was last known to be as good as the feed; nil when there is none.
  public var lastGood: Date? {
    switch self {
    case .empty: nil
    case .fresh(let date), .stale(let date): date
    case .refreshing(_, let date), .offline(_, _, let date): date
    }
  }
}
