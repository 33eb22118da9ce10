import SwiftDataCore
import SwiftDataSQL

/// Rows and side tables on one connection, in a transaction that the caller has begun.
struct PostgresRowTransaction {
  let connection: PostgresConnection
  let store: PostgresStore
  /// The changes for the history; nil in a transaction that only reads.
  var recording: HistoryRecording?

  @discardableResult
  func run(_ sql: String, _ values: [PostgresValue] = []) throws -> PostgresResult {
    try connection.run(PostgresCommand(PostgresStatementText.finished(sql), values))
  }

  /// A list of values of one type.
  func list(_ values: some Sequence<ColumnValue>, of type: PostgresType) throws -> PostgresValue {
    var list = PostgresList(of: type)
    for value in values {
      var row = SideTableRows([""])
      row.append(value)
      try append(row.cells[0], row.arena, to: &list)
    }
    return .list(list)
  }

  func append(_ cell: _Cell, _ arena: [UInt8], to list: inout PostgresList) throws {
    try arena.withUnsafeBytes { arena in
      let bytes =
        cell.kind == .text || cell.kind == .blob
        ? UnsafeRawBufferPointer(rebasing: arena[Int(cell.bits)..<Int(cell.bits) + cell.count])
        : UnsafeRawBufferPointer(start: nil, count: 0)
      do throws(PostgresValueProblem) { try list.append(cell, bytes) } catch {
        throw StoreError(
          .unsupportedValue, path: store.address, explanation: error.explanation)
      }
    }
  }
}

// MARK: - Rows of models

extension PostgresRowTransaction: KeyedRowReading {
  func rowIDs(of plan: EntityPlan, after rowID: Int64, limit: Int) throws -> [Int64] {
    let request = RowRequest(plan, [.rowID], isExact: true)
    let condition = request.classCondition.map { " AND \($0)" } ?? ""
    let result = try run(
      "\(request.selection) WHERE \(SQLIdentifier.rowID) > ?\(condition)"
        + " ORDER BY \(SQLIdentifier.rowID) LIMIT ?",
      [.value(.integer(rowID)), .value(.integer(Int64(limit)))])
    return (0..<result.rowCount).compactMap { result.integer($0, 0) }
  }

  func forEachRow(
    _ request: RowRequest, _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws {
    let condition = request.classCondition.map { " WHERE \($0)" } ?? ""
    try forEachRow(of: run(request.selection + condition), request, body)
  }

  func forEachRow(
    _ request: RowRequest, where column: RowColumn, in values: [ColumnValue],
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws {
    guard !values.isEmpty else { return }
    let condition = request.classCondition.map { "\($0) AND " } ?? ""
    let key = column.sql(in: request.plan)
    let known = values.filter { $0 != .null }
    let result = try run(
      "\(request.selection) WHERE \(condition)\(key) = ANY (?)"
        + " ORDER BY \(key), \(SQLIdentifier.rowID)",
      [list(known, of: column.type(in: request.plan))])
    try forEachRow(of: result, request, body)
  }

  private func forEachRow(
    of result: PostgresResult, _ request: RowRequest,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws {
    let kinds = request.columns.map { column -> ColumnKind? in
      if case .column(let position) = column { request.plan.columns[position].kind } else { nil }
    }
    let reader = PostgresRowReader(result, kinds: kinds)
    for row in 0..<result.rowCount { try body(reader.cells(of: result, row)) }
  }

  func forEachMatch(
    of plan: EntityPlan, columns: [Int], with values: [[ColumnValue]],
    _ body: (_ position: Int, _ rowID: Int64) throws -> Void
  ) throws {
    guard !columns.isEmpty, !values.isEmpty else { return }
    let types = columns.map { RowBatch.type(of: $0, in: plan) }
    let names = columns.indices.map { "c\($0)" }
    let lists = ["?::bigint[]"] + types.map { "?::\($0.name)[]" }
    let comparisons = columns.indices.map { index in
      "t.\(RowColumn.column(columns[index]).sql(in: plan)) = w.\(names[index])"
    }
    let positions = PostgresValue.integers(values.indices.map(Int64.init))
    let result = try run(
      "SELECT w.place, t.\(SQLIdentifier.rowID) FROM unnest(\(lists.joined(separator: ", ")))"
        + " AS w(place, \(names.joined(separator: ", ")))"
        + " JOIN \(SQLIdentifier.quoted(plan.table)) AS t"
        + " ON \(comparisons.joined(separator: " AND ")) ORDER BY w.place, t.\(SQLIdentifier.rowID)",
      [positions]
        + columns.indices.map { index in
          try list(values.lazy.map { $0[index] }, of: types[index])
        })
    for row in 0..<result.rowCount {
      guard let place = result.integer(row, 0), let rowID = result.integer(row, 1) else { continue }
      try body(Int(place), rowID)
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
    // Pairs that other programs left without a position come last.
    let place = join.ownerOrderColumn.map { "\(SQLIdentifier.quoted($0)) NULLS LAST, " } ?? ""
    let result = try run(
      "SELECT \(owner), \(destination) FROM \(SQLIdentifier.quoted(join.name))"
        + " WHERE \(owner) = ANY (?) ORDER BY \(owner), \(place)\(destination)",
      [.integers(owners)])
    for row in 0..<result.rowCount {
      guard let owner = result.integer(row, 0), let destination = result.integer(row, 1) else {
        continue
      }
      try body(owner, destination)
    }
  }

  // MARK: - Writing

  func set(
    _ values: [(rowID: Int64, value: ColumnValue)], inColumn column: Int, of plan: EntityPlan
  ) throws {
    guard !values.isEmpty else { return }
    let type = RowBatch.type(of: column, in: plan)
    let name = RowColumn.column(column).sql(in: plan)
    let id = "t.\(SQLIdentifier.rowID)"
    let entity =
      plan.family == nil ? "NULL::text" : "t.\(SQLIdentifier.quoted(EntityFamily.discriminator))"
    let changed = try run(
      "UPDATE \(SQLIdentifier.quoted(plan.table)) AS t SET \(name) = v.value"
        + " FROM unnest(?::bigint[], ?::\(type.name)[]) AS v(id, value)"
        + " WHERE \(id) = v.id AND t.\(name) IS DISTINCT FROM v.value RETURNING \(id), \(entity)",
      [.integers(values.map(\.rowID)), list(values.lazy.map(\.value), of: type)])
    var mask = ChangeMask()
    mask.insert(plan.columns[column].property)
    for row in 0..<changed.rowCount {
      guard let rowID = changed.integer(row, 0) else { continue }
      let member = changed.text(row, 1).flatMap { store.historyPlans.plansByName[$0] }
      recording?.update([rowID], mask, of: member ?? plan)
    }
  }

  func insertNew(
    _ rows: [Int], of plan: EntityPlan, cells: [_Cell], arena: [UInt8]
  ) throws -> [Int64]? {
    guard !rows.isEmpty else { return [] }
    let rowIDs = try store.rowIDs.take(rows.count, connection)
    let width = plan.columns.count
    var batch = RowBatch(plan, columns: Array(plan.columns.indices))
    for (row, rowID) in zip(rows, rowIDs) {
      try batch.append(
        rowID: rowID, cells[row * width..<(row + 1) * width], arena: arena,
        address: store.address)
    }
    let result = try run(batch.insertion + " ON CONFLICT DO NOTHING", batch.values)
    guard result.changedCount == rows.count else { return nil }
    recording?.insert(rowIDs, of: plan)
    return rowIDs
  }

  func acknowledgeHistory(through number: Int64, by consumer: String) throws {
    _ = try HistoryMetadata(connection: connection, address: store.address)
      .apply(.acknowledge(number), to: consumer)
  }
}

extension RowColumn {
  fileprivate func sql(in plan: EntityPlan) -> String {
    switch self {
    case .rowID: SQLIdentifier.rowID
    case .entity:
      plan.family == nil ? "NULL::text" : SQLIdentifier.quoted(EntityFamily.discriminator)
    case .column(let position): SQLIdentifier.quoted(plan.columns[position].name)
    }
  }

  fileprivate func type(in plan: EntityPlan) -> PostgresType {
    switch self {
    case .rowID: .integer
    case .entity: .text
    case .column(let position): RowBatch.type(of: position, in: plan)
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
