import SwiftDataCore
import SwiftDataSQL

extension DefaultStore: ReadTransactionProviding {
  package func withReadTransaction(_ body: (any ReadTransaction) throws -> Void) throws -> Bool {
    guard hasHistory else { return false }
    try withHistory { try body(SQLiteReadTransaction(store: self, connection: $0)) }
    return true
  }
}

/// A read transaction.
private struct SQLiteReadTransaction: ReadTransaction {
  let store: DefaultStore
  let connection: Connection

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
    guard let rest = query.statement as? SQLiteQuery else {
      throw SwiftDataError.unknownSchema.explained("The query was made for another store.")
    }
    var bindings = columns.bindings
    var source = "\(rest.statements.table) AS t0"
    if let rows {
      // CROSS JOIN keeps the order (https://sqlite.org/optoverview.html#crossjoin): the requested rows are looked up,
      // instead of searching an index for them.
      source =
        "json_each(?) AS wanted CROSS JOIN \(source) ON"
        + " t0.\(SQLIdentifier.rowID) = wanted.value"
      bindings.append(.text(DefaultStore.list(rows)))
    }
    let statement = try connection.statement(
      "SELECT \(columns.sql) FROM \(source)\(rest.source)")
    defer { statement.reset() }
    try statement.bind(bindings + rest.bindings)
    while try statement.step() { body(statement.rowID(), Self.text(of: statement, text != nil)) }
    return true
  }

  /// The column of a text; nil when SQL can't express the key path.
  private func column(_ keyPath: AnyKeyPath, _ plan: EntityPlan) -> SQLFragment? {
    do throws(Untranslatable) {
      return try AggregateTranslator(
        plan: plan, plans: store.plansByType, changed: [], dialect: SQLiteDialect()
      ).translate(StoreAggregation(terms: [], groupedBy: keyPath)).columns
    } catch {
      return nil
    }
  }

  private static func text(
    of statement: Statement, _ isWanted: Bool
  ) -> UnsafeBufferPointer<UInt8> {
    guard isWanted else { return UnsafeBufferPointer(start: nil, count: 0) }
    let cell = statement.row(from: 0)[1]
    guard cell.kind == .text else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(
      start: UnsafePointer(bitPattern: Int(cell.bits)), count: cell.count)
  }
}
