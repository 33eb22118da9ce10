import SwiftDataCore

extension SQLiteDialect {
  package func compare(
    _ left: SQLFragment, _ comparison: SQLComparison, _ right: SQLFragment,
    by collation: SQLCollation
  ) -> SQLFragment {
    left.appending(clause(collation) + symbol(comparison), right)
  }

  /// NaN is the text 'NaN', and texts sort after all numbers (https://sqlite.org/datatype3.html#sort_order).
  package func isNumber(_ real: SQLFragment) -> SQLFragment { real.appending(" < ''") }

  package func isNaN(_ real: SQLFragment) -> SQLFragment { real.appending(" >= ''") }

  package func orderTerm(
    _ value: SQLFragment, by collation: SQLCollation, isDescending: Bool
  ) -> SQLFragment? {
    value.appending(clause(collation) + (isDescending ? " DESC" : ""))
  }

  package func groupTerm(_ value: SQLFragment, by collation: SQLCollation) -> SQLFragment? {
    value.appending(clause(collation))
  }

  package func extreme(
    _ extreme: SQLExtreme, of value: SQLFragment, by collation: SQLCollation
  ) -> SQLFragment? {
    value.enclosed(extreme == .least ? "min(" : "max(", clause(collation) + ")")
  }

  package func total(_ value: SQLFragment, of kind: ColumnKind) -> SQLFragment? {
    call(Self.totalFunction, value)
  }

  package func groupKey(_ value: SQLFragment, by collation: SQLCollation) -> SQLFragment { value }

  private func clause(_ collation: SQLCollation) -> String {
    switch collation {
    case .stored: ""
    case .text(let order): " COLLATE " + order.collation
    case .decimal: " COLLATE OSD_DECIMAL"
    }
  }

  private func symbol(_ comparison: SQLComparison) -> String {
    switch comparison {
    case .equal: " = "
    case .notEqual: " <> "
    case .same: " IS "
    case .different: " IS NOT "
    case .less: " < "
    case .lessOrEqual: " <= "
    case .greater: " > "
    case .greaterOrEqual: " >= "
    }
  }

  // MARK: - Lists of values

  /// More values than this become one JSON parameter, if JSON keeps them exact.
  private static let maximumParameters = 256
  /// SQLite's default limit of parameters (https://sqlite.org/limits.html), minus some for other terms.
  private static let parameterLimit = 30_000

  package func member(
    _ value: SQLFragment, of values: [SQLValue], by collation: SQLCollation
  ) throws(Untranslatable) -> SQLFragment {
    if values.count == 1 {
      return compare(value, .equal, SQLFragment(binding: values[0]), by: collation)
    }
    if values.count > Self.maximumParameters, let json = JSONList.text(of: values) {
      return value.appending(
        clause(collation) + " IN (SELECT value FROM json_each(",
        SQLFragment(binding: .text(json)), "))")
    }
    guard values.count <= Self.parameterLimit else {
      throw Untranslatable("\(values.count) captured values are more than one statement takes")
    }
    // Lengths are rounded up, so that fewer distinct statements are compiled.
    var padded = values
    var length = 2
    while length < values.count { length *= 2 }
    if length <= Self.maximumParameters, let last = values.last {
      padded += repeatElement(last, count: length - values.count)
    }
    var text = clause(collation) + " IN (?"
    text.reserveCapacity(text.utf8.count + padded.count * 2 + 1)
    for _ in 1..<padded.count { text += ",?" }
    text += ")"
    return value.appending(text, SQLFragment("", padded))
  }

  // MARK: - Lists stored as JSON

  package func elements(
    of list: SQLFragment, as alias: String
  ) throws(Untranslatable) -> (source: SQLFragment, value: SQLFragment) {
    (list.enclosed("json_each(", ") AS \(alias)"), SQLFragment(alias + ".value"))
  }

  package func contains(
    _ list: SQLFragment, integer: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    integer.enclosed("", " IN (SELECT value FROM json_each(").appending("", list, "))")
  }

  package func contains(
    _ list: SQLFragment, text: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    call("osd_list_contains", list, text)
  }

  package func elementCount(of list: SQLFragment) -> SQLFragment { call("json_array_length", list) }
}
