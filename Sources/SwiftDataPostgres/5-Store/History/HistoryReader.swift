import Foundation
import SwiftDataCore
import SwiftDataSQL
import SwiftDataStore

/// Reads transactions and unpacks their changes, in a transaction.
struct HistoryReader {
  /// The number of transactions that are read at once.
  private static let pageLength = 256

  private let store: PostgresStore
  private let connection: PostgresConnection
  private let decoder: HistoryDecoder
  /// An upper bound for the number of rows that a table can have had, from the IDs that were given.
  private let maximumRowCount: Int64

  init(_ store: PostgresStore, _ connection: PostgresConnection) throws {
    self.store = store
    self.connection = connection
    decoder = HistoryDecoder(store, try HistoryLayoutTable.stored(store.plans, connection))
    let last = try connection.run("SELECT last_value FROM \"_rows\"").integer(0, 0) ?? 0
    maximumRowCount = last + Int64(StoreTables.rowIDBlock)
  }

  /// Calls `body` with each transaction that matches the conditions, in the order of their numbers, until it returns
  /// false.
  func forEach(
    _ conditions: HistoryConditions, pageLength: Int = Self.pageLength,
    _ body: (DefaultHistoryTransaction) throws -> Bool
  ) throws {
    let clause = conditions.clause.isEmpty ? " WHERE" : conditions.clause + " AND"
    let sql = PostgresStatementText.finished(
      "SELECT t.number, t.timestamp, t.author, t.program, t.process, c.layout, c.changes"
        + " FROM (SELECT * FROM \"_history_transaction\" AS t\(clause) t.number > ?"
        + " ORDER BY t.number LIMIT ?) AS t"
        + " LEFT JOIN \"_history_change\" AS c ON c.number = t.number"
        + " ORDER BY t.number, c.layout, c.part")
    var last = Int64.min
    while true {
      let rows = try connection.run(
        sql, conditions.bindings + [.integer(last), .integer(Int64(pageLength))])
      var count = 0
      var current: HistoryAssembly?
      for row in 0..<rows.rowCount {
        let number = rows.integer(row, 0) ?? 0
        if let complete = current, complete.number != number {
          current = nil
          guard try body(decoder.transaction(complete)) else { return }
        }
        if current == nil { count += 1 }
        let assembly = current ?? HistoryAssembly(Self.head(number, rows, row))
        if let id = rows.integer(row, 5), let layout = decoder.layouts[id],
          let bytes = rows.data(row, 6)
        {
          try assembly.append(
            Array(bytes), layout: id, properties: layout.properties, path: store.address,
            maximumRowCount: { maximumRowCount })
        }
        current = assembly
        last = number
      }
      if let current {
        guard try body(decoder.transaction(current)) else { return }
      }
      if count < pageLength { return }
    }
  }

  private static func head(
    _ number: Int64, _ rows: PostgresResult, _ row: Int
  ) -> HistoryAssembly.Head {
    HistoryAssembly.Head(
      number: number, timestamp: Date(timeIntervalSinceReferenceDate: rows.real(row, 1) ?? 0),
      author: rows.text(row, 2), program: rows.text(row, 3) ?? "",
      process: rows.integer(row, 4) ?? 0)
  }

  /// Calls `body` with the changes of every transaction after a number, in order.
  ///
  /// - Parameter entities: The names of the entities whose changes matter; nil for all.
  func forEachRun(
    after number: Int64, of entities: Set<String>?, _ body: (ChangedRows) throws -> Void
  ) throws {
    let rows = try connection.run(
      "SELECT number, layout, changes FROM \"_history_change\" WHERE number > $1"
        + " ORDER BY number, layout, part", [.integer(number)])
    for row in 0..<rows.rowCount {
      try decoder.forEachRun(
        rows.data(row, 2).map { Array($0) }, transaction: rows.integer(row, 0) ?? 0,
        layout: rows.integer(row, 1) ?? 0, of: entities, body)
    }
  }
}
