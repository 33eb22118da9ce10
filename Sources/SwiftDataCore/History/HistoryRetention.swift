import Foundation

/// How much of its history a default store keeps: the oldest transactions go when either bound is passed.
///
/// The bounds are kept at every save and every batch. A token from before what is left makes a fetch of history
/// throw ``SwiftDataError/historyTokenExpired``. An addition to Apple's interface.
public struct HistoryRetention: Hashable, Sendable {
  /// The age in seconds from which on a transaction is forgotten; nil for no bound.
  public var maximumAge: TimeInterval?
  /// The bytes that the packed changes of all kept transactions may take; nil for no bound. A transaction counts
  /// with 64 bytes more than its changes.
  public var maximumSize: Int64?

  public init(maximumAge: TimeInterval?, maximumSize: Int64?) {
    self.maximumAge = maximumAge
    self.maximumSize = maximumSize
  }

  /// 30 days and 16 mebibytes.
  public static let standard = HistoryRetention(
    maximumAge: 30 * 24 * 60 * 60, maximumSize: 16 * 1024 * 1024)
  /// Nothing is forgotten by itself: whoever chooses it has to call ``ModelContext/deleteHistory(_:)``.
  public static let unlimited = HistoryRetention(maximumAge: nil, maximumSize: nil)
}
