import Foundation
import SwiftDataCore
import SwiftDataSQL

extension HistoryRetention {
  /// Forgets the oldest transactions that pass a bound, but never the one just written.
  ///
  /// - Parameters:
  ///   - number: The transaction just written.
  ///   - total: The bytes of all transactions up to that one.
  func apply(now: Date, number: Int64, total: Int64, on connection: Connection) throws {
    guard maximumAge != nil || maximumSize != nil else { return }
    let oldest = maximumAge.map { now.timeIntervalSinceReferenceDate - $0 } ?? -.infinity
    // What is kept are the transactions behind the one whose total lies that far back.
    let floor = maximumSize.map { total.subtractingReportingOverflow($0).partialValue } ?? .min
    let first =
      try connection.integer(
        "SELECT min(number) FROM \"_history_transaction\"") ?? number
    // Totals and, but for clocks that are set back, times grow with the numbers: the search ends at once.
    let kept = try connection.integer(
      "SELECT number FROM \"_history_transaction\" WHERE timestamp >= ? AND total > ?"
        + " ORDER BY number LIMIT 1", [.real(oldest), .integer(floor)])
    let end = min(kept ?? number, number)
    if end > first { try HistoryTables.delete(through: end - 1, on: connection) }
  }
}
