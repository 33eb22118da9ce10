import SwiftDataCore

extension SQLiteDialect {
  /// The type whose affinity leaves the encoding unchanged (https://sqlite.org/datatype3.html).
  package func type(of kind: ColumnKind) -> String {
    switch kind {
    case .boolean, .integer, .unsigned, .reference, .presence: "INTEGER"
    case .real, .date: "REAL"
    case .text, .url, .decimal, .json: "TEXT"
    case .data, .uuid: "BLOB"
    }
  }

  package var rowIDDefinition: String { "INTEGER PRIMARY KEY" }

  package var keyedTableEnding: String { " WITHOUT ROWID" }

  package func indexTerm(_ column: String) -> String { column }

  /// Dates in ISO 8601, UUIDs in their usual form. Values of other types, such as encrypted ones, stay as they are.
  package func readable(_ column: String, _ kind: ColumnKind, isEncrypted: Bool) -> String? {
    switch kind {
    case .date: readableDate(column)
    case .uuid: uuidText(column)
    default: nil
    }
  }

  /// Seconds since 2001 as a date; the stored value outside SQLite's calendar (years 0 to 9999).
  private func readableDate(_ name: String) -> String {
    // The text 'NaN' is greater than '' and not a number.
    "CASE WHEN \(name) < '' THEN ifnull("
      + "strftime('%Y-%m-%dT%H:%M:%fZ', \(name) + 978307200.0, 'unixepoch'), \(name))"
      + " ELSE \(name) END"
  }

  func uuidText(_ value: String) -> String {
    let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)]
    return parts.map { "substr(hex(\(value)), \($0.0), \($0.1))" }.joined(separator: " || '-' || ")
  }

  /// https://sqlite.org/lang_createtrigger.html
  package func statement(creating trigger: SQLTrigger) -> String {
    let condition = trigger.condition.map { " WHEN \($0)" } ?? ""
    return "CREATE TRIGGER \(SQLIdentifier.quoted(trigger.name)) \(trigger.event)\(condition) BEGIN"
      + trigger.statements.map { " \($0);" }.joined() + " END"
  }

  package func failure(_ message: String) -> String {
    "SELECT RAISE(ABORT, \(SQLIdentifier.literal(message)))"
  }

  package func rowNumberTrigger(of plan: EntityPlan) -> (name: String, statement: String)? {
    RowNumbers.trigger(of: plan)
  }

  package func searchTables(for plans: [EntityPlan]) -> [SearchTables.Table] {
    SearchTables.tables(for: plans)
  }

  /// https://sqlite.org/fileformat2.html, section 2.6.2.
  package func reservation(of name: String) -> String? {
    name.hasPrefix("sqlite_") ? "names that begin with sqlite_ are SQLite's own" : nil
  }
}
