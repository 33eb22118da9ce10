import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

extension HistoryRetention {
  /// Deletes the oldest transactions that exceed a bound, but never the one just written.
  ///
  /// - Parameters:
  ///   - number: The transaction just written.
  ///   - total: The bytes of all transactions up to that one.
  func apply(now: Date, number: Int64, total: Int64, on connection: Connection) throws {
    let bounds = SQLiteHistoryBounds(connection: connection)
    guard let last = try lastExceeding(now: now, number: number, total: total, in: bounds) else {
      return
    }
    try HistoryTables.delete(through: last, on: connection)
  }
}

private struct SQLiteHistoryBounds: HistoryBounds {
  let connection: Connection

  func oldest() throws -> Int64? {
    try connection.integer("SELECT min(number) FROM \"_history_transaction\"")
  }

  func lowestConsumed() throws -> Int64? { try HistoryConsumers.lowest(on: connection) }

  func first(notBefore time: Double, limit: Int64) throws -> Int64 {
    try search("timestamp >= ?", .real(time), limit)
  }

  func first(reaching total: Int64, limit: Int64) throws -> Int64 {
    try search("total >= ?", .integer(total), limit)
  }

  private func search(_ condition: String, _ value: SQLValue, _ limit: Int64) throws -> Int64 {
    try connection.integer(
      "SELECT number FROM \"_history_transaction\" WHERE \(condition) OR number >= ?"
        + " ORDER BY number LIMIT 1", [value, .integer(limit)]) ?? limit
  }

  func start(of number: Int64) throws -> Int64 {
    try connection.integer(
      "SELECT t.total - ? - (SELECT ifnull(sum(length(changes)), 0) FROM \"_history_change\""
        + " WHERE number = t.number) FROM \"_history_transaction\" AS t WHERE t.number = ?",
      [.integer(Int64(HistoryRetention.transactionSize)), .integer(number)]) ?? 0
  }
}
