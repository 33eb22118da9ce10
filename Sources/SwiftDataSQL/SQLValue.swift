/// One of SQLite's fundamental values, as it is bound to a parameter
/// (https://sqlite.org/datatype3.html).
package enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// SQL text with `?` parameters and the values bound to them, in order.
package struct SQLFragment: Hashable, Sendable {
  package var sql: String
  package var bindings: [SQLValue]

  @inlinable
  package init(_ sql: String, _ bindings: [SQLValue] = []) {
    self.sql = sql
    self.bindings = bindings
  }

  /// One parameter.
  package init(binding: SQLValue) {
    sql = "?"
    bindings = [binding]
  }

  package mutating func append(_ text: String) { sql += text }

  package mutating func append(_ other: SQLFragment) {
    sql += other.sql
    if !other.bindings.isEmpty { bindings += other.bindings }
  }

  package func appending(_ text: String) -> SQLFragment {
    var result = self
    result.append(text)
    return result
  }

  package func appending(_ text: String, _ other: SQLFragment, _ end: String = "") -> SQLFragment {
    var result = self
    result.sql += text
    result.append(other)
    result.sql += end
    return result
  }

  package func enclosed(_ start: String, _ end: String) -> SQLFragment {
    var text = start
    text += sql
    text += end
    return SQLFragment(text, bindings)
  }
}
