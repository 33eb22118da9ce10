import SwiftDataCore

/// One of SQLite's fundamental values, as it is bound to a parameter
/// (https://sqlite.org/datatype3.html).
package typealias SQLValue = ColumnValue

/// SQL text with `?` parameters and the values bound to them, in order.
package struct SQLFragment: Hashable, Sendable {
  package var sql: String
  package var bindings: [SQLValue]
  /// Whether evaluation may end the statement with an error, as Swift's arithmetic ends the
  /// evaluation. Such a fragment must be reached only where Swift would reach it.
  package var canFail = false

  @inlinable
  package init(_ sql: String, _ bindings: [SQLValue] = []) {
    self.sql = sql
    self.bindings = bindings
  }

  /// A single parameter.
  package init(binding: SQLValue) {
    sql = "?"
    bindings = [binding]
  }

  package mutating func append(_ text: String) { sql += text }

  package mutating func append(_ other: SQLFragment) {
    sql += other.sql
    if !other.bindings.isEmpty { bindings += other.bindings }
    if other.canFail { canFail = true }
  }

  package consuming func appending(_ text: String) -> SQLFragment {
    sql += text
    return self
  }

  package consuming func appending(
    _ text: String, _ other: SQLFragment, _ end: String = ""
  ) -> SQLFragment {
    sql.reserveCapacity(sql.utf8.count + text.utf8.count + other.sql.utf8.count + end.utf8.count)
    sql += text
    append(other)
    sql += end
    return self
  }

  package func enclosed(_ start: String, _ end: String) -> SQLFragment {
    var text = start
    text += sql
    text += end
    var result = SQLFragment(text, bindings)
    result.canFail = canFail
    return result
  }
}
