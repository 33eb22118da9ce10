import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: ReadTransactionProviding {
  package func withReadTransaction(_ body: (any ReadTransaction) throws -> Void) throws -> Bool {
    try withHistory { try body(PostgresReadTransaction(store: self, connection: $0)) }
    return true
  }
}

/// A read transaction.
private struct PostgresReadTransaction: ReadTransaction {
  let store: PostgresStore
  let connection: PostgresConnection

  func forEachChange(
    after number: Int64, of entities: Set<String>, _ body: (ChangedRows) throws -> Void
  ) throws -> Int64 {
    try store.forEachChange(after: number, of: entities, on: connection, body)
  }

  func forEachRow(
    of query: StoreQuery, among rows: [Int64]?, text: AnyKeyPath?,
    _ body: (Int64, UnsafeBufferPointer<UInt8>) -> Void
  ) throws -> Bool {
    var columns = SQLFragment("t0.\(SQLIdentifier.rowID)")
    if let text {
      guard let column = column(text, query.plan) else { return false }
      columns.append(", ")
      columns.append(column)
    }
    guard let rest = query.statement as? PostgresQuery else {
      throw SwiftDataError.unknownSchema.explained("The query was made for another store.")
    }
    var values = columns.bindings.map { PostgresValue.value($0) }
    var source = "\(rest.queries.table) AS t0"
    if let rows {
      source =
        "unnest(?::bigint[]) AS wanted(value) JOIN \(source)"
        + " ON t0.\(SQLIdentifier.rowID) = wanted.value"
      values.append(.integers(rows))
    }
    let command = PostgresCommand(
      PostgresStatementText.finished("SELECT \(columns.sql) FROM \(source)\(rest.source)"),
      values + rest.parameters)
    try store.evaluating {
      try connection.forEachRow(of: command) { cells in
        body(cells[0].bits, Self.text(of: cells))
      }
    }
    return true
  }

  /// The column of a text; nil when SQL can't express the key path.
  private func column(_ keyPath: AnyKeyPath, _ plan: EntityPlan) -> SQLFragment? {
    do throws(Untranslatable) {
      return try AggregateTranslator(
        plan: plan, plans: store.plansByType, changed: [], dialect: PostgresDialect()
      ).translate(StoreAggregation(terms: [], groupedBy: keyPath)).columns
    } catch {
      return nil
    }
  }

  private static func text(of cells: UnsafeBufferPointer<_Cell>) -> UnsafeBufferPointer<UInt8> {
    guard cells.count > 1, cells[1].kind == .text else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    return UnsafeBufferPointer(
      start: UnsafePointer(bitPattern: Int(cells[1].bits)), count: cells[1].count)
  }
}
