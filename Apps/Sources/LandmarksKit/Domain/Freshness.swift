import Foundation

/// Describes in words how old the copy of the landmarks is.
public struct Freshness: Hashable, Sendable {
  /// The age in minutes up to which there is no hint.
  public static let unremarkable = 30

  /// The time at which the server last sent or confirmed the data; nil if it never did.
  public var lastSynced: Date?

  public init(lastSynced: Date?) { self.lastSynced = lastSynced }

  /// Returns a hint that the data may be stale, such as `Updated 42 min ago`.
  /// - Returns: nil while the data are young, and when there are none.
  public func hint(at now: Date) -> String? {
    guard let lastSynced else { return nil }
    let minutes = Self.minutes(from: lastSynced, to: now)
    return minutes > Self.unremarkable ? "Updated \(minutes) min ago" : nil
  }

  /// The whole minutes between two times; 0 for a time to come. A store may have any time, which is at most two
  /// thousand years ago here.
  private static func minutes(from date: Date, to now: Date) -> Int {
    let minutes = now.timeIntervalSince(date) / 60
    return minutes > 0 ? Int(min(minutes, 1e9)) : 0
  }

  /// Returns the age in the largest fitting unit, for a status line that is always shown.
  public func line(at now: Date) -> String {
    guard let lastSynced else { return "Never updated" }
    let minutes = Self.minutes(from: lastSynced, to: now)
    switch minutes {
    case 0: return "Updated just now"
    case ..<120: return "Updated \(minutes) min ago"
    case ..<(48 * 60): return "Updated \(minutes / 60) h ago"
    default: return "Updated \(minutes / 60 / 24) days ago"
    }
  }
}
