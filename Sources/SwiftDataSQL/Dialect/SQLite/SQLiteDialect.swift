import SwiftDataCore

/// The SQL of SQLite. The functions and collations of `StringFunctions` and `IntegerFunctions`, and the aggregate
/// ``totalFunction``, must be registered with the connection.
package struct SQLiteDialect: SQLDialect {
  /// The aggregate function that adds numbers as ``_NumberTotal`` does. Its result is ``_NumberTotal/encoded``.
  package static let totalFunction = "osd_total"

  package init() {}

  package var features: SQLFeatures {
    SQLFeatures(
      hasTriggers: true, hasDeferredKeys: true, hasForwardReferences: true, hasSearchTables: true)
  }

  // MARK: Truth values and choices

  package func truth(_ value: Bool) -> String { value ? "1" : "0" }

  package func coalesce(_ value: SQLFragment, _ fallback: SQLFragment) -> SQLFragment {
    value.enclosed("IFNULL(", ", ").appending("", fallback, ")")
  }

  /// A collation named anywhere inside an operand decides how the operand is compared
  /// (https://sqlite.org/datatype3.html#collation), so the collation of the test must not reach beyond the CASE.
  package func choice(
    _ test: SQLFragment, _ yes: SQLFragment, _ no: SQLFragment
  ) -> SQLFragment {
    let hasCollation = test.sql.contains(" COLLATE ")
    return test.enclosed("(CASE WHEN ", " THEN ").appending("", yes)
      .appending(" ELSE ", no, hasCollation ? " END COLLATE BINARY)" : " END)")
  }

  // MARK: Sources of rows

  /// CROSS JOIN keeps the order (https://sqlite.org/optoverview.html#crossjoin).
  package func join(_ first: String, _ second: String, on condition: String) -> String {
    "\(first) CROSS JOIN \(second) ON \(condition)"
  }

  package func subquery(_ query: String) -> String { "(\(query))" }

  package func lastRowID(in table: String) -> String {
    "(SELECT ifnull(max(\(SQLIdentifier.rowID)), 0) FROM \(SQLIdentifier.quoted(table)))"
  }

  func call(_ function: String, _ value: SQLFragment) -> SQLFragment {
    value.enclosed(function + "(", ")")
  }

  func call(_ function: String, _ first: SQLFragment, _ second: SQLFragment) -> SQLFragment {
    first.enclosed(function + "(", ", ").appending("", second, ")")
  }
}
