import SwiftDataCore
import SwiftDataSQL

extension PostgresRowTransaction: SideTableReading {
  func forEachRow(_ query: SideTableQuery, _ body: ([ColumnValue]) throws -> Void) throws {
    let text = query.condition.map { SideTableConditionText($0, in: query.table) }
    let condition = text.map { " WHERE \($0.sql)" } ?? ""
    let result = try run(query.selection + condition + query.ending, text?.values ?? [])
    for row in 0..<result.rowCount { try body(result.values(row)) }
  }

  func forEachRow(
    _ query: SideTableQuery, where column: String, in values: [ColumnValue],
    _ body: ([ColumnValue]) throws -> Void
  ) throws {
    guard let kind = query.table.columns.first(where: { $0.name == column })?.kind else { return }
    let text = query.condition.map { SideTableConditionText($0, in: query.table) }
    let condition = text.map { "\($0.sql) AND " } ?? ""
    let known = values.filter { $0 != .null }
    let result = try run(
      "\(query.selection) WHERE \(condition)\(SQLIdentifier.quoted(column)) = ANY (?)"
        + query.ending, (text?.values ?? []) + [list(known, of: PostgresType(kind))])
    for row in 0..<result.rowCount { try body(result.values(row)) }
  }

  func count(of table: SideTable, where condition: SideTableCondition?) throws -> Int {
    let text = condition.map { SideTableConditionText($0, in: table) }
    let result = try run(
      "SELECT count(*) FROM \(table.quotedName)" + (text.map { " WHERE \($0.sql)" } ?? ""),
      text?.values ?? [])
    return Int(result.integer(0, 0) ?? 0)
  }

  func columnNames(ofSideTable name: String) throws -> [String] {
    let result = try connection.run(
      """
      SELECT a.attname::text FROM pg_catalog.pg_attribute AS a
      JOIN pg_catalog.pg_class AS t ON t.oid = a.attrelid
      WHERE t.relnamespace = current_schema()::regnamespace AND t.relname = $1
        AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
      """, [.text(PostgresStatementText.shortened(name))])
    return (0..<result.rowCount).compactMap { result.text($0, 0) }
  }

  // MARK: Writing

  func create(_ table: SideTable) throws {
    for text in table.creations { try run(text) }
  }

  func removeSideTable(_ name: String) throws {
    try run("DROP TABLE \(SQLIdentifier.quoted(name))")
  }

  @discardableResult
  func insert(
    _ rows: SideTableRows, into table: SideTable, existing: SideTableConflict?
  ) throws -> Int {
    guard !rows.isEmpty else { return 0 }
    // A statement can't merge two rows with one key.
    guard existing == nil || existing == .keep else {
      return try run(
        table.insertion(of: rows.columns, existing: existing, isList: false), with: rows)
    }
    let types = rows.columns.map { name in
      table.columns.first { $0.name == name }.map { PostgresType($0.kind) } ?? .text
    }
    var lists = types.map { PostgresList(of: $0) }
    for (index, cell) in rows.cells.enumerated() {
      try append(cell, rows.arena, to: &lists[index % lists.count])
    }
    return try run(
      table.insertion(of: rows.columns, existing: existing, isList: true),
      lists.map { .list($0) }
    ).changedCount
  }

  func update(_ rows: SideTableRows, of table: SideTable, matching keys: [String]) throws {
    let changes = rows.columns.dropLast(keys.count).map { "\(SQLIdentifier.quoted($0)) = ?" }
    let condition = keys.map { "\(SQLIdentifier.quoted($0)) = ?" }
    try run(
      "UPDATE \(table.quotedName) SET \(changes.joined(separator: ", "))"
        + " WHERE \(condition.joined(separator: " AND "))", with: rows)
  }

  func delete(_ keys: SideTableRows, from table: SideTable) throws {
    let condition = keys.columns.map { "\(SQLIdentifier.quoted($0)) = ?" }
    try run(
      "DELETE FROM \(table.quotedName) WHERE \(condition.joined(separator: " AND "))",
      with: keys)
  }

  func delete(from table: SideTable, where condition: SideTableCondition?) throws {
    let text = condition.map { SideTableConditionText($0, in: table) }
    try run(
      "DELETE FROM \(table.quotedName)" + (text.map { " WHERE \($0.sql)" } ?? ""),
      text?.values ?? [])
  }

  /// The number of statements that are sent before their answers are read.
  private static let pipelineLength = 256

  /// Runs a statement with each row's values as its parameters.
  ///
  /// - Returns: The number of changed rows.
  @discardableResult
  private func run(_ sql: String, with rows: SideTableRows) throws -> Int {
    let text = PostgresStatementText.finished(sql)
    var commands: [PostgresCommand] = []
    var changed = 0
    func send() throws {
      changed += try connection.run(commands).reduce(0) { $0 + $1.changedCount }
      commands.removeAll(keepingCapacity: true)
    }
    let width = rows.columns.count
    for row in 0..<rows.count {
      let values = rows.cells[row * width..<(row + 1) * width].map { cell in
        PostgresValue.value(Self.value(cell, rows.arena))
      }
      commands.append(PostgresCommand(text, values))
      if commands.count == Self.pipelineLength { try send() }
    }
    try send()
    return changed
  }

  private static func value(_ cell: _Cell, _ arena: [UInt8]) -> ColumnValue {
    func bytes() -> ArraySlice<UInt8> { arena[Int(cell.bits)..<Int(cell.bits) + cell.count] }
    switch cell.kind {
    case .null: return .null
    case .integer: return .integer(cell.bits)
    case .real: return .real(Double(bitPattern: UInt64(bitPattern: cell.bits)))
    case .text: return .text(String(decoding: bytes(), as: UTF8.self))
    case .blob: return .blob(Array(bytes()))
    }
  }
}

extension SideTableQuery {
  fileprivate var selection: String {
    "SELECT \(columns.quotedList) FROM \(table.quotedName)"
  }

  fileprivate var ending: String {
    var text = ""
    if !order.isEmpty {
      // NULL comes first in ascending order, as in SQLite.
      let direction = isDescending ? " DESC NULLS LAST" : " NULLS FIRST"
      text =
        " ORDER BY "
        + order.map { SQLIdentifier.quoted($0) + direction }
        .joined(separator: ", ")
    }
    if let limit { text += " LIMIT \(limit)" }
    return text
  }
}
