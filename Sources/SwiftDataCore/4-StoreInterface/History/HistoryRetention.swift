import Foundation

/// The amount of history that a default store keeps: the oldest transactions are deleted when either bound is exceeded.
///
/// The bounds are enforced at every save and every batch. A token from before the kept transactions makes a fetch of
/// history throw ``SwiftDataError/historyTokenExpired``. An addition to Apple's interface.
public struct HistoryRetention: Hashable, Sendable {
  /// The age in seconds at which a transaction is deleted; nil for no bound.
  public var maximumAge: TimeInterval?
  /// The maximum size in bytes of the packed changes of all kept transactions; nil for no bound. A transaction counts
  /// as 64 bytes more than its changes.
  public var maximumSize: Int64?
  /// The age in seconds at which a transaction that a ``HistoryConsumer`` hasn't read is deleted; nil for no bound.
  /// Applies where it is greater than ``maximumAge``.
  public var maximumUnreadAge: TimeInterval?
  /// The maximum size in bytes of transactions that a ``HistoryConsumer`` hasn't read; nil for no bound. Applies where
  /// it is greater than ``maximumSize``.
  public var maximumUnreadSize: Int64?

  /// - Parameters:
  ///   - maximumAge: The age in seconds at which a transaction is deleted; nil for no bound.
  ///   - maximumSize: The maximum size in bytes of all kept transactions; nil for no bound.
  ///   - maximumUnreadAge: The age in seconds for transactions that a registered consumer hasn't read; 90 days by
  ///     default.
  ///   - maximumUnreadSize: The size in bytes for transactions that a registered consumer hasn't read; 256 mebibytes by
  ///     default.
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

  /// 30 days and 16 mebibytes; 90 days and 256 mebibytes for transactions that a registered consumer hasn't read.
  public static let standard = HistoryRetention(
    maximumAge: 30 * 24 * 60 * 60, maximumSize: 16 * 1024 * 1024)
  /// No automatic deletion: the program has to call ``ModelContext/deleteHistory(_:)``.
  public static let unlimited = HistoryRetention(
    maximumAge: nil, maximumSize: nil, maximumUnreadAge: nil, maximumUnreadSize: nil)
}
