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
  /// The age in seconds from which on a transaction is forgotten that a ``HistoryConsumer`` hasn't read; nil for no
  /// bound. Counts where it is more than ``maximumAge``.
  public var maximumUnreadAge: TimeInterval?
  /// The bytes that transactions may take while a ``HistoryConsumer`` hasn't read them; nil for no bound. Counts
  /// where it is more than ``maximumSize``.
  public var maximumUnreadSize: Int64?

  /// - Parameters:
  ///   - maximumAge: The age in seconds from which on a transaction is forgotten; nil for no bound.
  ///   - maximumSize: The bytes that all kept transactions may take; nil for no bound.
  ///   - maximumUnreadAge: The age in seconds for what a registered consumer hasn't read; 90 days if not given.
  ///   - maximumUnreadSize: The bytes for what a registered consumer hasn't read; 256 mebibytes if not given.
  public init(
    maximumAge: TimeInterval?, maximumSize: Int64?,
    maximumUnreadAge: TimeInterval? = 90 * 24 * 60 * 60,
    maximumUnreadSize: Int64? = 256 * 1024 * 1024
  ) {
    self.maximumAge = maximumAge
    self.maximumSize = maximumSize
    self.maximumUnreadAge = maximumUnreadAge
    self.maximumUnreadSize = maximumUnreadSize
  }

  /// 30 days and 16 mebibytes; 90 days and 256 mebibytes for what a registered consumer hasn't read.
  public static let standard = HistoryRetention(
    maximumAge: 30 * 24 * 60 * 60, maximumSize: 16 * 1024 * 1024)
  /// Nothing is forgotten by itself: whoever chooses it has to call ``ModelContext/deleteHistory(_:)``.
  public static let unlimited = HistoryRetention(
    maximumAge: nil, maximumSize: nil, maximumUnreadAge: nil, maximumUnreadSize: nil)
}
