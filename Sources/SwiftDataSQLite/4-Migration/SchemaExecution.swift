import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Executes a step on a file, in the open transaction: tables that can't be changed in place are created beside the old
/// ones, filled, and renamed to replace them (https://sqlite.org/lang_altertable.html, section 7).
struct SchemaExecution {
  let connection: Connection
  let step: SchemaStep
  /// The entities of the new schema.
  let plans: [EntityPlan]
  let attributes: StoreAttributes
  let location: StoreLocation

  /// Runs the step with foreign keys off; afterwards they are on again, and the caller checks them.
  func run() throws {
    guard !step.isEmpty else { return try HistoryTables.create(for: plans, on: connection) }
    try StepChecks(step, plans: plans, attributes: attributes, on: connection).run()
    try connection.enforceForeignKeys(false)
    try changeTables()
    try connection.enforceForeignKeys(true)
  }

  private func changeTables() throws {
    let others = try foreignObjects()
    // When tables change, SQLite checks all triggers and views, which may refer to tables that are missing meanwhile.
    for object in try objects(of: ["trigger", "view"]) { try drop(object.kind, object.name) }
    for name in step.obsoleteSearchTables { try drop("table", name) }
    try fill()
    for name in replaced + step.dropped { try drop("table", name) }
    for name in replaced {
      try connection.execute(
        "ALTER TABLE \(SQLIdentifier.quoted(SchemaStep.prefix + name))"
          + " RENAME TO \(SQLIdentifier.quoted(name))")
    }
    for table in step.tables {
      switch table.action {
      case .create: try connection.execute(table.creation)
      case .alter(let statements): for statement in statements { try connection.execute(statement) }
      case .rebuild: break
      }
    }
    for name in step.obsoleteIndices { try drop("index", name) }
    try makeObjects()
    try Recodings(execution: self).run()
    try restore(others)
    // With all triggers: tables for searching follow.
    try composeTexts()
    try updateMetadata()
  }

  // MARK: - Rows

  private var rebuilt: [SchemaStep.Table] {
    step.tables.filter { table in
      if case .rebuild = table.action { return true }
      return false
    }
  }

  /// The tables that are replaced by new ones.
  private var replaced: [String] { rebuilt.map(\.name) + step.pairs.map(\.name) }

  private func fill() throws {
    for table in rebuilt {
      try connection.execute(table.creation)
      guard let source = table.source else { continue }
      let columns = table.columns.map(SQLIdentifier.quoted).joined(separator: ", ")
      let name = SQLIdentifier.quoted(SchemaStep.prefix + table.name)
      try run("INSERT INTO \(name) (\(columns))\n\(source)")
    }
    for pairs in step.pairs {
      try connection.execute(pairs.creation)
      guard let source = pairs.source else { continue }
      try run(
        "INSERT INTO \(SQLIdentifier.quoted(SchemaStep.prefix + pairs.name))"
          + " (\(pairs.columns.map(SQLIdentifier.quoted).joined(separator: ", ")))\n\(source)")
    }
  }

  private func composeTexts() throws {
    for composition in step.compositions {
      let select = try Statement(composition.query, on: connection)
      var changed: [(rowID: Int64, value: SQLValue)] = []
      while try select.step() {
        let value = SQLValue(select.row(from: 1)[0])
        if let value = composition.change(of: value, attributes.cipher) {
          changed.append((select.rowID(), value))
        }
      }
      select.reset()
      guard !changed.isEmpty else { continue }
      let update = try Statement(composition.update, on: connection)
      for (rowID, value) in changed {
        try update.bind([value, .integer(rowID)])
        try update.run()
      }
    }
  }

  /// Runs a statement once, without caching it.
  private func run(_ sql: String) throws {
    let statement = try Statement(sql, on: connection)
    try statement.run()
  }

  // MARK: - Indices, triggers and views

  struct Object {
    let kind: String
    let name: String
    let table: String
    let statement: String
  }

  private func objects(of kinds: [String]) throws -> [Object] {
    let list = kinds.map { "'\($0)'" }.joined(separator: ", ")
    let statement = try connection.statement(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type IN (\(list))"
        + " AND sql IS NOT NULL ORDER BY rowid")
    defer { statement.reset() }
    var objects: [Object] = []
    while try statement.step() {
      objects.append(
        Object(
          kind: statement.string(at: 0), name: statement.string(at: 1),
          table: statement.string(at: 2), statement: statement.string(at: 3)))
    }
    return objects
  }

  /// The objects that are dropped with the tables or must be dropped first, and have to be created again afterwards:
  /// objects of unchanged entities, and objects made by hand.
  private func foreignObjects() throws -> [Object] {
    let rebuilt = Set(replaced)
    return try objects(of: ["trigger", "view", "index"]).filter { object in
      !step.formerObjects.contains(object.name)
        && (object.kind != "index" || rebuilt.contains(object.table))
    }
  }

  private func drop(_ kind: String, _ name: String) throws {
    try connection.execute("DROP \(kind) IF EXISTS \(SQLIdentifier.quoted(name))")
  }

  private func makeObjects() throws {
    var existing = Set(try objects(of: ["table", "trigger", "view", "index"]).map(\.name))
    let wanted = plans.compactMap { step.result[$0.name] }.flatMap(\.objects)
    for kind in [DatabaseObject.Kind.table, .index, .trigger, .view] {
      for object in wanted where object.kind == kind && existing.insert(object.name).inserted {
        try connection.execute(object.statement)
      }
    }
  }

  /// Creates the objects again. An object that no longer fits the tables, such as an index made by hand whose columns
  /// were dropped, is left out.
  private func restore(_ objects: [Object]) throws {
    let existing = Set(try self.objects(of: ["trigger", "view", "index"]).map(\.name))
    for object in objects where !existing.contains(object.name) {
      try connection.execute("SAVEPOINT restoring")
      do {
        try connection.execute(object.statement)
        if object.kind == "trigger" { try checkStatements(on: object.table) }
        if object.kind == "view" {
          _ = try Statement("SELECT * FROM \(SQLIdentifier.quoted(object.name))", on: connection)
        }
      } catch let error as StoreError where error.resultCode == SQLITE_ERROR {
        try connection.execute("ROLLBACK TO restoring")
        SwiftDataLog.report(
          .warning, "SwiftData",
          "the \(object.kind) \(object.name), which isn't this library's, doesn't fit the"
            + " migrated tables and was dropped: \(error.explanation)")
      }
      try connection.execute("RELEASE restoring")
    }
  }

  /// Compiles the statements that fire the triggers of a table, and with them the triggers' own statements.
  private func checkStatements(on table: String) throws {
    let quoted = SQLIdentifier.quoted(table)
    let columns = try connection.columns(of: table).map { SQLIdentifier.quoted($0) }
    guard !columns.isEmpty else { return }
    let assignments = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
    for sql in [
      "INSERT INTO \(quoted) DEFAULT VALUES", "DELETE FROM \(quoted)",
      "UPDATE \(quoted) SET \(assignments)",
    ] {
      _ = try Statement(sql, on: connection)
    }
  }

  // MARK: - Metadata about tables

  private func updateMetadata() throws {
    for table in step.tables {
      for origin in table.origins where origin != table.name {
        try connection.execute(
          "INSERT INTO \"_rowNumbers\" SELECT \(SQLIdentifier.literal(table.name)), last"
            + " FROM \"_rowNumbers\" WHERE entity = \(SQLIdentifier.literal(origin))"
            + " ON CONFLICT (entity) DO UPDATE SET last = max(last, excluded.last)")
      }
    }
    let tables = step.touchedTables.union(step.recodings.map(\.newTable))
    if try hasTable(ExternalStorage.list) {
      for name in tables {
        // Opening the store lists the columns that are in use.
        try connection.execute(
          "DELETE FROM \"\(ExternalStorage.list)\" WHERE entity = \(SQLIdentifier.literal(name))")
      }
    }
    try HistoryTables.create(for: plans, on: connection)
    if step.expiresHistory {
      let last = try HistoryTables.last(on: connection).number
      if last > 0 { try HistoryTables.delete(through: last, on: connection) }
    }
  }

  private func hasTable(_ name: String) throws -> Bool {
    try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(name)]) == 1
  }
}
