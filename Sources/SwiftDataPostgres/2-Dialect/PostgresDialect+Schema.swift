import SwiftDataCore
import SwiftDataSQL

extension PostgresDialect {
  package func type(of kind: ColumnKind) -> String {
    switch kind {
    case .text, .url, .json: "text COLLATE \"C\""
    case .unsigned: "numeric(20)"
    default: PostgresType(kind).name
    }
  }

  package var rowIDDefinition: String { "bigint PRIMARY KEY" }

  package var keyedTableEnding: String { "" }

  /// NULL first, as in the ascending order; read backwards, the index has the descending one.
  package func indexTerm(_ column: String) -> String { column + " NULLS FIRST" }

  /// Dates as the server's type, in its range.
  package func readable(_ column: String, _ kind: ColumnKind, isEncrypted: Bool) -> String? {
    guard kind == .date, !isEncrypted else { return nil }
    return "CASE WHEN \(column) BETWEEN -200000000000 AND 9000000000000"
      + " THEN to_timestamp(\(column) + 978307200) END"
  }

  /// Never called: the store itself follows delete rules on the own key.
  package func statement(creating trigger: SQLTrigger) -> String { "" }

  package func failure(_ message: String) -> String { "" }

  /// A sequence gives row IDs, none twice.
  package func rowNumberTrigger(of plan: EntityPlan) -> (name: String, statement: String)? { nil }

  package func searchTables(for plans: [EntityPlan]) -> [SearchTables.Table] { [] }

  private static let ownTables: Set<String> = ["_store", "_foreign", "_rows"]

  package func reservation(of name: String) -> String? {
    Self.ownTables.contains(name) ? "the store has a table or a sequence of that name" : nil
  }

  /// The columns that every table has (https://www.postgresql.org/docs/15/ddl-system-columns.html).
  package static let systemColumns: Set<String> = [
    "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid",
  ]
}
