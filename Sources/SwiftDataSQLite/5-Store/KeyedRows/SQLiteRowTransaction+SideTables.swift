import CSQLite
import SwiftDataCore
import SwiftDataSQL

extension SQLiteRowTransaction: SideTableReading {
  func forEachRow(_ query: SideTableQuery, _ body: ([ColumnValue]) throws -> Void) throws {
    let text = query.condition.map { SideTableConditionText($0, in: query.table) }
    let condition = text.map { " WHERE \($0.sql)" } ?? ""
    let statement = try connection.statement(query.selection + condition + query.ending)
    try statement.bind((text?.bindings ?? []) + query.limitBinding)
    try statement.forEachRow { try body($0.map { ColumnValue($0) }) }
  }

  func forEachRow(
    _ query: SideTableQuery, where column: String, in values: [ColumnValue],
    _ body: ([ColumnValue]) throws -> Void
  ) throws {
    let text = query.condition.map { SideTableConditionText(.all([$0]), in: query.table) }
    let condition = text.map { "\($0.sql) AND " } ?? ""
    let start = "\(query.selection) WHERE \(condition)\(column) IN "
    let bindings = text?.bindings ?? []
    try ListStatements.forEachPart(of: values) { part, length in
      let statement = try connection.statement(
        start + ListStatements.parameters(length) + query.ending)
      try statement.bind(bindings)
      try statement.bind(part, paddedTo: length, at: Int32(bindings.count + 1))
      try statement.forEachRow { try body($0.map { ColumnValue($0) }) }
    }
  }

  func count(of table: SideTable, where condition: SideTableCondition?) throws -> Int {
    let text = condition.map { SideTableConditionText($0, in: table) }
    let count = try connection.integer(
      "SELECT count(*) FROM \(table.quotedName)" + (text.map { " WHERE \($0.sql)" } ?? ""),
      text?.bindings ?? [])
    return Int(count ?? 0)
  }

  func columnNames(ofSideTable name: String) throws -> [String] {
    var names: [String] = []
    let statement = try connection.statement("SELECT name FROM pragma_table_info(?)")
    try statement.bind([.text(name)])
    try statement.forEachRow { cells in
      if let name = ColumnValue(cells[0]).text { names.append(name) }
    }
    return names
  }

  // MARK: Writing

  func create(_ table: SideTable) throws {
    for text in [table.creation] + table.indexCreations { try connection.statement(text).run() }
  }

  func removeSideTable(_ name: String) throws {
    try connection.statement("DROP TABLE \(SQLIdentifier.quoted(name))").run()
  }

  func insert(
    _ rows: SideTableRows, into table: SideTable, existing: SideTableConflict?
  ) throws -> Int {
    try run(table.insertion(of: rows.columns, existing: existing), with: rows)
  }

  func update(_ rows: SideTableRows, of table: SideTable, matching keys: [String]) throws {
    let changes = rows.columns.dropLast(keys.count).map { "\($0) = ?" }
    let condition = keys.map { "\($0) = ?" }
    try run(
      "UPDATE \(table.quotedName) SET \(changes.joined(separator: ", "))"
        + " WHERE \(condition.joined(separator: " AND "))", with: rows)
  }

  func delete(_ keys: SideTableRows, from table: SideTable) throws {
    let condition = keys.columns.map { "\($0) = ?" }.joined(separator: " AND ")
    try run("DELETE FROM \(table.quotedName) WHERE \(condition)", with: keys)
  }

  func delete(from table: SideTable, where condition: SideTableCondition?) throws {
    let text = condition.map { SideTableConditionText($0, in: table) }
    let statement = try connection.statement(
      "DELETE FROM \(table.quotedName)" + (text.map { " WHERE \($0.sql)" } ?? ""))
    try statement.bind(text?.bindings ?? [])
    try statement.run()
  }

  /// Runs a statement with each row's values as its parameters.
  ///
  /// - Returns: The number of changed rows.
  @discardableResult
  private func run(_ sql: String, with rows: SideTableRows) throws -> Int {
    guard !rows.isEmpty else { return 0 }
    let statement = try connection.statement(sql)
    var changed = 0
    try rows.forEach { cells, arena in
      try statement.bind(cells, arena: arena, at: 1)
      try statement.run()
      changed += Int(sqlite3_changes64(connection.handle))
    }
    return changed
  }
}

extension SideTableQuery {
  fileprivate var selection: String {
    "SELECT \(columns.joined(separator: ", ")) FROM \(table.quotedName)"
  }

  fileprivate var ending: String {
    var text = ""
    if !order.isEmpty {
      let direction = isDescending ? " DESC" : ""
      text = " ORDER BY " + order.map { $0 + direction }.joined(separator: ", ")
    }
    if limit != nil { text += " LIMIT ?" }
    return text
  }

  fileprivate var limitBinding: [ColumnValue] { limit.map { [.integer(Int64($0))] } ?? [] }
}
