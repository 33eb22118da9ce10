import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Rows and side tables on one connection, in a transaction that the caller has begun.
struct SQLiteRowTransaction {
  let connection: Connection
  let store: DefaultStore
}

// MARK: - Rows of models

extension SQLiteRowTransaction: KeyedRowReading {
  func rowIDs(of plan: EntityPlan, after rowID: Int64, limit: Int) throws -> [Int64] {
    let request = RowRequest(plan, [.rowID], isExact: true)
    let condition = request.classCondition.map { " AND \($0)" } ?? ""
    let statement = try connection.statement(
      "\(request.selection) WHERE \(SQLIdentifier.rowID) > ?\(condition)"
        + " ORDER BY \(SQLIdentifier.rowID) LIMIT ?")
    try statement.bind(.integer(rowID), at: 1)
    try statement.bind(.integer(Int64(limit)), at: 2)
    var rowIDs: [Int64] = []
    try statement.forEachRow { rowIDs.append($0[0].bits) }
    return rowIDs
  }

  func forEachRow(
    _ request: RowRequest, _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws {
    let condition = request.classCondition.map { " WHERE \($0)" } ?? ""
    try connection.statement(request.selection + condition).forEachRow(body)
  }

  func forEachRow(
    _ request: RowRequest, where column: RowColumn, in values: [ColumnValue],
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws {
    guard !values.isEmpty else { return }
    let condition = request.classCondition.map { "\($0) AND " } ?? ""
    let start = "\(request.selection) WHERE \(condition)\(column.sql(in: request.plan)) IN "
    try ListStatements.forEachPart(of: values) { part, length in
      let statement = try connection.statement(start + ListStatements.parameters(length))
      try statement.bind(part, paddedTo: length, at: 1)
      try statement.forEachRow(body)
    }
  }

  func forEachMatch(
    of plan: EntityPlan, columns: [Int], with values: [[ColumnValue]],
    _ body: (_ position: Int, _ rowID: Int64) throws -> Void
  ) throws {
    guard !columns.isEmpty else { return }
    let names = columns.indices.map { "c\($0)" }
    let comparisons = columns.indices.map { index in
      "t.\(RowColumn.column(columns[index]).sql(in: plan)) = w.\(names[index])"
    }
    let row = "(?," + names.map { _ in "?" }.joined(separator: ",") + ")"
    try ListStatements.forEachPart(of: Array(values.enumerated())) { part, length in
      // CROSS JOIN keeps the order of the tables, so that the second one is searched by its index.
      let statement = try connection.statement(
        "WITH w (position, \(names.joined(separator: ", "))) AS (VALUES "
          + repeatElement(row, count: length).joined(separator: ",")
          + ") SELECT w.position, t.\(SQLIdentifier.rowID) FROM w CROSS JOIN"
          + " \(SQLIdentifier.quoted(plan.table)) AS t ON \(comparisons.joined(separator: " AND "))"
      )
      let width = columns.count + 1
      let bound = part.flatMap { item -> [ColumnValue] in
        [.integer(Int64(item.offset))] + item.element
      }
      try statement.bind(bound[...], paddedTo: length * width, at: 1)
      try statement.forEachRow { try body(Int($0[0].bits), $0[1].bits) }
    }
  }

  func forEachPair(
    of plan: EntityPlan, _ property: Int, owners: [Int64],
    _ body: (_ owner: Int64, _ destination: Int64) throws -> Void
  ) throws {
    guard let join = plan.properties[property].relationship?.joinTable, !owners.isEmpty else {
      return
    }
    let owner = SQLIdentifier.quoted(join.ownerColumn)
    let destination = SQLIdentifier.quoted(join.destinationColumn)
    // The same order as in the store: pairs that other programs left without a position come last.
    let places = join.ownerOrderColumn.map(SQLIdentifier.quoted).map { "\($0) IS NULL, \($0), " }
    let start =
      "SELECT \(owner), \(destination) FROM \(SQLIdentifier.quoted(join.name)) WHERE \(owner) IN "
    let order = " ORDER BY \(owner), \(places ?? "")\(destination)"
    try ListStatements.forEachPart(of: owners.map { ColumnValue.integer($0) }) { part, length in
      let statement = try connection.statement(start + ListStatements.parameters(length) + order)
      try statement.bind(part, paddedTo: length, at: 1)
      try statement.forEachRow { try body($0[0].bits, $0[1].bits) }
    }
  }
}

extension RowColumn {
  fileprivate func sql(in plan: EntityPlan) -> String {
    switch self {
    case .rowID: SQLIdentifier.rowID
    case .entity: plan.family == nil ? "NULL" : SQLIdentifier.quoted(EntityFamily.discriminator)
    case .column(let position): SQLIdentifier.quoted(plan.columns[position].name)
    }
  }
}

extension RowRequest {
  fileprivate var selection: String {
    "SELECT \(columns.map { $0.sql(in: plan) }.joined(separator: ", "))"
      + " FROM \(SQLIdentifier.quoted(plan.table))"
  }

  /// The condition that selects the rows of exactly the class; nil when all rows of the table are selected.
  fileprivate var classCondition: String? {
    guard isExact, plan.family != nil else { return nil }
    return SQLIdentifier.quoted(EntityFamily.discriminator)
      + " = \(SQLIdentifier.literal(plan.name))"
  }
}

// MARK: - History

extension SQLiteRowTransaction: RowWriteTransaction {
  func lastTransaction() throws -> Int64 { try HistoryTables.last(on: connection).number }

  func history(after number: Int64, isOnlyBy author: String) throws -> Bool {
    guard try HistoryTables.mark(on: connection) <= number, try lastTransaction() >= number else {
      return false
    }
    return try connection.integer(
      "SELECT 1 FROM \"_history_transaction\" WHERE number > ? AND author IS NOT ? LIMIT 1",
      [.integer(number), .text(author)]) == nil
  }

  func metadata(after key: String?, limit: Int) throws -> [(key: String, value: [UInt8])] {
    try StoreMetadata.values(after: key, limit: limit, on: connection)
  }

  func acknowledgeHistory(through number: Int64, by consumer: String) throws {
    _ = try HistoryConsumers.apply(.acknowledge(number), to: consumer, on: connection)
  }

  // MARK: Writing rows of models

  func set(
    _ values: [(rowID: Int64, value: ColumnValue)], inColumn column: Int, of plan: EntityPlan
  ) throws {
    guard !values.isEmpty else { return }
    let statement = try connection.statement(
      "UPDATE \(SQLIdentifier.quoted(plan.table)) SET \(RowColumn.column(column).sql(in: plan)) = ?"
        + " WHERE \(SQLIdentifier.rowID) = ?")
    for (rowID, value) in values {
      try statement.bind(value, at: 1)
      try statement.bind(.integer(rowID), at: 2)
      try statement.run()
    }
  }

  func insertNew(
    _ rows: [Int], of plan: EntityPlan, cells: [_Cell], arena: [UInt8]
  ) throws -> [Int64]? {
    let writer = TableWriter(
      connection: connection, statements: try store.statements(of: plan), existing: .left,
      needsRowIDs: false)
    try writer.learnNumbering()
    let width = plan.columns.count
    var rowIDs: [Int64] = []
    rowIDs.reserveCapacity(rows.count)
    return try cells.withUnsafeBufferPointer { cells in
      try arena.withUnsafeBufferPointer { arena in
        for row in rows {
          let outcome = try writer.insertIfNew(
            UnsafeBufferPointer(rebasing: cells[row * width..<(row + 1) * width]),
            arena: arena.baseAddress)
          guard case .inserted(let rowID) = outcome else { return nil }
          rowIDs.append(rowID)
        }
        return rowIDs
      }
    }
  }
}
