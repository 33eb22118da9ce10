import Foundation

/// How old the copy of the landmarks is, in words.
public struct Freshness: Hashable, Sendable {
  /// The age up to which nothing needs to be said, in minutes.
  public static let unremarkable = 30

  /// When the server last gave or confirmed what is shown; nil when it never did.
  public var lastSynced: Date?

  public init(lastSynced: Date?) { self.lastSynced = lastSynced }

  /// The hint for a reader of data that may be stale, such as `Updated 42 min ago`.
  /// - Returns: nil while the data are young, and when there are none.
  public func hint(at now: Date) -> String? {
    guard let lastSynced else { return nil }
    let minutes = Int(now.timeIntervalSince(lastSynced) / 60)
    return minutes > Self.unremarkable ? "Updated \(minutes) min ago" : nil
  }

  /// The age in the largest fitting unit, for a status line that always says something.
  public func line(at now: Date) -> String {
    guard let lastSynced else { return "Never updated" }
    let minutes = max(0, Int(now.timeIntervalSince(lastSynced) / 60))
    switch minutes {
    case 0: return "Updated just now"
    case ..<120: return "Updated \(minutes) min ago"
    case ..<(48 * 60): return "Updated \(minutes / 60) h ago"
    default: return "Updated \(minutes / 60 / 24) days ago"
    }
  }
}
