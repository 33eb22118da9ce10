import Foundation
import SwiftDataCore

/// The facts of a history by which transactions are deleted.
package protocol HistoryBounds {
  /// The oldest transaction; nil when there is none.
  func oldest() throws -> Int64?
  /// The number up to which all consumers have read; nil without consumers.
  func lowestConsumed() throws -> Int64?
  /// The first transaction that isn't older than a time in seconds since the reference date, at most `limit`.
  func first(notBefore time: Double, limit: Int64) throws -> Int64
  /// The first transaction whose total reaches a number of bytes, at most `limit`.
  func first(reaching total: Int64, limit: Int64) throws -> Int64
  /// The number of bytes of all transactions before one.
  func start(of number: Int64) throws -> Int64
}

extension HistoryRetention {
  /// The size that a transaction counts for besides its changes.
  package static let transactionSize = 64

  /// Whether anything is ever deleted.
  package var isBounded: Bool { maximumAge != nil || maximumSize != nil }

  /// Finds the oldest transactions that exceed a bound, but never the one just written.
  ///
  /// Transactions that a registered consumer hasn't read stay until they exceed the bounds for unread ones.
  ///
  /// - Parameters:
  ///   - number: The transaction just written.
  ///   - total: The bytes of all transactions up to that one.
  /// - Returns: The last transaction to delete; nil when all are kept.
  package func lastExceeding(
    now: Date, number: Int64, total: Int64, in history: some HistoryBounds
  ) throws -> Int64? {
    guard isBounded else { return nil }
    let first = try history.oldest() ?? number
    let held = min(try history.lowestConsumed() ?? number, number - 1) + 1
    var end = first
    if held > first {
      end = try Self.firstKept(
        maximumAge, maximumSize, from: first, before: held, now: now, total: total, in: history)
    }
    if held < number, end == held || held <= first {
      let kept = try Self.firstKept(
        Self.larger(maximumAge, maximumUnreadAge), Self.larger(maximumSize, maximumUnreadSize),
        from: first, before: number, now: now, total: total, in: history)
      end = max(end, kept)
    }
    return end > first ? end - 1 : nil
  }

  /// The bound that keeps more; nil means no bound.
  private static func larger<Bound: Comparable>(_ one: Bound?, _ other: Bound?) -> Bound? {
    guard let one, let other else { return nil }
    return max(one, other)
  }

  /// The first transaction within the bounds, at most `limit`.
  private static func firstKept(
    _ age: TimeInterval?, _ size: Int64?, from first: Int64, before limit: Int64, now: Date,
    total: Int64, in history: some HistoryBounds
  ) throws -> Int64 {
    // Totals and, except when clocks are set back, times grow with the numbers: a search ends immediately, unless there
    // is much to delete.
    var end = first
    if let age {
      let oldest = now.timeIntervalSinceReferenceDate - age
      end = max(end, try history.first(notBefore: oldest, limit: limit))
    }
    // The first transaction to keep follows the first one whose total reaches the lower end of the size.
    if let size, size < total {
      let floor = total - max(size, 0)
      let last = try history.first(reaching: floor, limit: limit)
      if try last > first || history.start(of: first) < floor { end = max(end, last + 1) }
    }
    return min(end, limit)
  }
}
