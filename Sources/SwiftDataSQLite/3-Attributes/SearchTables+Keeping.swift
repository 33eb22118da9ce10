import CSQLite
import SwiftDataCore
import SwiftDataSQL

extension SearchTables {
  private static let foldingKey = "searchFolding"

  /// The modules of SQLite that the virtual tables of some entities need.
  static func modules(for plans: [EntityPlan]) -> [SQLiteLibrary.Module] {
    let tables = tables(for: plans)
    return (tables.contains(where: \.isText) ? [.fts5] : [])
      + (tables.contains { !$0.isText } ? [.rtree] : [])
  }

  /// Creates the virtual tables of some entities, and updates them with rows that existed before the tables or were
  /// changed by other programs. Text indices are rebuilt when the folding of strings has changed since they were built.
  static func prepare(_ plans: [EntityPlan], on connection: Connection) throws {
    let tables = self.tables(for: plans)
    guard !tables.isEmpty else { return }
    try connection.transaction {
      if tables.contains(where: \.isText) { try connection.execute(staleCreation) }
      let isFoldedAlike = try recordFolding(on: connection)
      for table in tables {
        let exists =
          try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?",
            [.text(table.name)]) == 1
        if !exists { try connection.execute(table.creation) }
        let isKept = try prepareTriggers(of: table, on: connection)
        if exists, isKept, isFoldedAlike || !table.isText {
          try refresh(table, on: connection)
          continue
        }
        if exists { try connection.execute(table.emptying) }
        try connection.execute(table.filling)
        if table.isText { try connection.execute(table.merging) }
        if let forgetting = table.refreshing.last { try connection.execute(forgetting) }
      }
    }
  }

  /// Creates the triggers of a table where they are missing or come from an earlier version.
  ///
  /// - Returns: Whether all triggers existed, so that the table is up to date.
  private static func prepareTriggers(of table: Table, on connection: Connection) throws -> Bool {
    var isKept = true
    for (name, statement) in table.triggers {
      let found = try connection.text(
        "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?", [.text(name)])
      if found == statement { continue }
      // In earlier versions the triggers themselves maintained the text index, by a function registered by the
      // framework.
      let isEarlier = found.map { $0.contains("osd_search_key(") || !table.isText } ?? false
      isKept = isKept && isEarlier
      if found != nil {
        try connection.execute("DROP TRIGGER \(SQLIdentifier.quoted(name))")
      }
      try connection.execute(statement)
    }
    return isKept
  }

  private static func refresh(_ table: Table, on connection: Connection) throws {
    var changed: Int64 = 0
    for statement in table.refreshing {
      try connection.statement(statement).run()
      changed = max(changed, sqlite3_changes64(connection.handle))
    }
    try mergeSegments(of: table, changed: changed, on: connection)
  }

  /// The minimum number of changed rows after which the segments of a text index are merged.
  private static let manyRows: Int64 = 10_000

  /// Merges the segments of a text index when a large part of its rows has changed: a search looks in each segment
  /// (https://sqlite.org/fts5.html, section 6.9). On 235,640 short texts in six segments a search took 1.5 times as
  /// long as in one, and merging them 0.23 s. Smaller changes are left to SQLite, which merges some segments at each
  /// commit.
  private static func mergeSegments(
    of table: Table, changed: Int64, on connection: Connection
  ) throws {
    guard changed >= Self.manyRows,
      try changed >= (connection.integer(table.lastRow) ?? 0) / 4
    else { return }
    try connection.execute(table.merging)
  }

  /// Updates text indices with the rows that triggers have recorded, in the open transaction.
  static func refresh(_ tables: [Table], on connection: Connection) throws {
    let isStale = try connection.integer("SELECT EXISTS (SELECT 1 FROM \"\(staleTable)\")")
    guard isStale == 1 else { return }
    for table in tables { try refresh(table, on: connection) }
  }

  /// Whether a read-only file has the objects that searches need: another program may have created it.
  static func areReady(for plans: [EntityPlan], on connection: Connection) throws -> Bool {
    let tables = self.tables(for: plans)
    for table in tables {
      let found = try connection.integer(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(table.name)])
      if found != 1 { return false }
    }
    guard tables.contains(where: \.isText) else { return true }
    let notes = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(staleTable)])
    guard notes == 1 else { return false }
    let folding = try connection.text(
      "SELECT value FROM \"_metadata\" WHERE key = ?", [.text(foldingKey)])
    return folding == PortableString.foldingSample
  }

  /// - Returns: Whether the text indices of the file were built with the current folding.
  private static func recordFolding(on connection: Connection) throws -> Bool {
    let current = PortableString.foldingSample
    let stored = try connection.text(
      "SELECT value FROM \"_metadata\" WHERE key = ?", [.text(foldingKey)])
    guard stored != current else { return true }
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO \"_metadata\" (key, value) VALUES (?, ?)")
    try statement.bind([.text(foldingKey), .text(current)])
    try statement.run()
    return stored == nil
  }
}

extension Connection {
  /// Updates the text indices with the rows that the open transaction has changed. Call it before the commit.
  func refreshTextIndices() throws {
    guard !textIndices.isEmpty else { return }
    try SearchTables.refresh(textIndices, on: self)
  }
}
