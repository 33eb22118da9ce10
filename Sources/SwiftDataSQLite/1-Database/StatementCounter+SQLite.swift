import CSQLite
import SwiftDataSQL

extension StatementCounter {
  /// Counts a statement that is about to run; returns the data for listeners, nil without any.
  func begin(_ statement: OpaquePointer) -> StatementRun? {
    begin {
      guard let text = sqlite3_expanded_sql(statement) else { return nil }
      defer { sqlite3_free(text) }
      return String(cString: text)
    }
  }

  func end(_ run: StatementRun, _ statement: OpaquePointer, sql: String, rows: Int) {
    end(run, sql: sql, isReading: sqlite3_stmt_readonly(statement) != 0, rows: rows)
  }
}
