import Foundation
import SwiftDataCore
import SwiftDataSQL

extension HistoryRetention {
  /// Forgets the oldest transactions that pass a bound, but never the one just written.
  ///
  /// What a registered consumer hasn't read stays until it passes the bounds for that.
  ///
  /// - Parameters:
  ///   - number: The transaction just written.
  ///   - total: The bytes of all transactions up to that one.
  func apply(now: Date, number: Int64, total: Int64, on connection: Connection) throws {
    guard maximumAge != nil || maximumSize != nil else { return }
    let first =
      try connection.integer(
        "SELECT min(number) FROM \"_history_transaction\"") ?? number
    let held = min(try HistoryConsumers.lowest(on: connection).map { $0 + 1 } ?? number, number)
    var end = first
    if held > first {
      end = try Self.firstKept(
        maximumAge, maximumSize, before: held, now: now, total: total, on: connection)
    }
    if held < number, end == held || held <= first {
      let kept = try Self.firstKept(
        Self.larger(maximumAge, maximumUnreadAge), Self.larger(maximumSize, maximumUnreadSize),
        before: number, now: now, total: total, on: connection)
      end = max(end, kept)
    }
    if end > first { try HistoryTables.delete(through: end - 1, on: connection) }
  }

  /// The bound that keeps more; nil is none.
  private static func larger<Bound: Comparable>(_ one: Bound?, _ other: Bound?) -> Bound? {
    guard let one, let other else { return nil }
    return max(one, other)
  }

  /// The first transaction within the bounds, at most `limit`.
  private static func firstKept(
    _ age: TimeInterval?, _ size: Int64?, before limit: Int64, now: Date, total: Int64,
    on connection: Connection
  ) throws -> Int64 {
    let oldest = age.map { now.timeIntervalSinceReferenceDate - $0 } ?? -.infinity
    // What is kept are the transactions behind the one whose total lies that far back.
    let floor = size.map { total.subtractingReportingOverflow($0).partialValue } ?? .min
    // Totals and, but for clocks that are set back, times grow with the numbers: the search ends at once, unless
    // there is much to delete.
    let kept = try connection.integer(
      "SELECT number FROM \"_history_transaction\" WHERE (timestamp >= ? AND total > ?)"
        + " OR number >= ? ORDER BY number LIMIT 1",
      [.real(oldest), .integer(floor), .integer(limit)])
    return min(kept ?? limit, limit)
  }
}
