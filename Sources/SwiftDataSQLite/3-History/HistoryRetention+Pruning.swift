import Foundation
import SwiftDataCore
import SwiftDataSQL

extension HistoryRetention {
  /// Deletes the oldest transactions that exceed a bound, but never the one just written.
  ///
  /// Transactions that a registered consumer hasn't read stay until they exceed the bounds for unread ones.
  ///
  /// - Parameters:
  ///   - number: The transaction just written.
  ///   - total: The bytes of all transactions up to that one.
  func apply(now: Date, number: Int64, total: Int64, on connection: Connection) throws {
    guard maximumAge != nil || maximumSize != nil else { return }
    let first =
      try connection.integer(
        "SELECT min(number) FROM \"_history_transaction\"") ?? number
    let held = min(try HistoryConsumers.lowest(on: connection) ?? number, number - 1) + 1
    var end = first
    if held > first {
      end = try Self.firstKept(
        maximumAge, maximumSize, from: first, before: held, now: now, total: total, on: connection)
    }
    if held < number, end == held || held <= first {
      let kept = try Self.firstKept(
        Self.larger(maximumAge, maximumUnreadAge), Self.larger(maximumSize, maximumUnreadSize),
        from: first, before: number, now: now, total: total, on: connection)
      end = max(end, kept)
    }
    if end > first { try HistoryTables.delete(through: end - 1, on: connection) }
  }

  /// The bound that keeps more; nil means no bound.
  private static func larger<Bound: Comparable>(_ one: Bound?, _ other: Bound?) -> Bound? {
    guard let one, let other else { return nil }
    return max(one, other)
  }

  /// The first transaction within the bounds, at most `limit`.
  private static func firstKept(
    _ age: TimeInterval?, _ size: Int64?, from first: Int64, before limit: Int64, now: Date,
    total: Int64, on connection: Connection
  ) throws -> Int64 {
    // Totals and, except when clocks are set back, times grow with the numbers: a search ends immediately, unless there
    // is much to delete.
    func search(_ condition: String, _ value: SQLValue) throws -> Int64 {
      try connection.integer(
        "SELECT number FROM \"_history_transaction\" WHERE \(condition) OR number >= ?"
          + " ORDER BY number LIMIT 1", [value, .integer(limit)]) ?? limit
    }
    var end = first
    if let age {
      let oldest = now.timeIntervalSinceReferenceDate - age
      end = max(end, try search("timestamp >= ?", .real(oldest)))
    }
    // The first transaction to keep follows the first one whose total reaches the lower end of the size.
    if let size, size < total {
      let floor = total - max(size, 0)
      let last = try search("total >= ?", .integer(floor))
      if try last > first || start(of: first, on: connection) < floor { end = max(end, last + 1) }
    }
    return min(end, limit)
  }

  /// The number of bytes of all transactions before one.
  private static func start(of number: Int64, on connection: Connection) throws -> Int64 {
    try connection.integer(
      "SELECT t.total - ? - (SELECT ifnull(sum(length(changes)), 0) FROM \"_history_change\""
        + " WHERE number = t.number) FROM \"_history_transaction\" AS t WHERE t.number = ?",
      [.integer(Int64(HistoryRecorder.transactionSize)), .integer(number)]) ?? 0
  }
}
