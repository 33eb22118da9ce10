import SwiftDataCore
import SwiftDataSQL

extension SearchTables {
  private static let foldingKey = "searchFolding"

  /// Brings the virtual tables of some entities into being, and up to date with the rows that were there before
  /// them. Text indices are made anew where texts are folded otherwise than when they were made.
  static func prepare(_ plans: [EntityPlan], on connection: Connection) throws {
    let tables = self.tables(for: plans)
    guard !tables.isEmpty else { return }
    try connection.transaction {
      let isFoldedAlike = try noteFolding(on: connection)
      for table in tables {
        let exists =
          try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?",
            [.text(table.name)]) == 1
        if !exists { try connection.execute(table.creation) }
        if exists, table.isText, !isFoldedAlike { try connection.execute(table.emptying) }
        if !exists || (table.isText && !isFoldedAlike) { try connection.execute(table.filling) }
        for trigger in table.triggers { try connection.execute(trigger) }
      }
    }
  }

  /// Whether a file that can't be written has what searches need: another program may have made it.
  static func areReady(for plans: [EntityPlan], on connection: Connection) throws -> Bool {
    let tables = self.tables(for: plans)
    for table in tables {
      let found = try connection.integer(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(table.name)])
      if found != 1 { return false }
    }
    guard tables.contains(where: \.isText) else { return true }
    let folding = try connection.text(
      "SELECT value FROM \"_metadata\" WHERE key = ?", [.text(foldingKey)])
    return folding == PortableString.foldingSample
  }

  /// - Returns: Whether the text indices of the file were made with this program's folding.
  private static func noteFolding(on connection: Connection) throws -> Bool {
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
