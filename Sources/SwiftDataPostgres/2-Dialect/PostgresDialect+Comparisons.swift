import SwiftDataCore
import SwiftDataSQL

extension PostgresDialect {
  package func compare(
    _ left: SQLFragment, _ comparison: SQLComparison, _ right: SQLFragment,
    by collation: SQLCollation
  ) -> SQLFragment {
    if collation == .decimal, let ordered = compareDecimals(left, comparison, right) {
      return ordered
    }
    let (left, right) = (operand(left, by: collation), operand(right, by: collation))
    // No index serves IS NOT DISTINCT FROM.
    if comparison == .same, isPresent(right) {
      return left.enclosed("(", " = ").appending("", right)
        .appending(" AND ", left, " IS NOT NULL)")
    }
    return left.appending(symbol(of: comparison), right)
  }

  private func symbol(of comparison: SQLComparison) -> String {
    switch comparison {
    case .equal: " = "
    case .notEqual: " <> "
    case .same: " IS NOT DISTINCT FROM "
    case .different: " IS DISTINCT FROM "
    case .less: " < "
    case .lessOrEqual: " <= "
    case .greater: " > "
    case .greaterOrEqual: " >= "
    }
  }

  /// Whether a value is known not to be NULL.
  private func isPresent(_ value: SQLFragment) -> Bool {
    value.bindings.count == 1 && value.bindings[0] != .null
      && (value.sql == "?" || value.sql == composed(SQLFragment("?")).sql)
  }

  private func operand(_ value: SQLFragment, by collation: SQLCollation) -> SQLFragment {
    if case .text = collation { return composed(value) }
    return value
  }

  /// A text in the form whose bytes are equal for canonically equivalent texts.
  func composed(_ text: SQLFragment) -> SQLFragment { text.enclosed("normalize(", ", NFC)") }

  /// The same with the order of the scalars, which is that of the bytes.
  func ordered(_ text: SQLFragment) -> SQLFragment { composed(text).appending(" COLLATE \"C\"") }

  /// NaN is equal to itself and greater than all numbers
  /// (https://www.postgresql.org/docs/15/datatype-numeric.html#DATATYPE-FLOAT).
  package func isNumber(_ real: SQLFragment) -> SQLFragment {
    typed(real, "double precision").appending(" <> 'NaN'::double precision")
  }

  package func isNaN(_ real: SQLFragment) -> SQLFragment {
    typed(real, "double precision").appending(" = 'NaN'::double precision")
  }

  // MARK: - Orders and aggregates

  package func orderTerm(
    _ value: SQLFragment, by collation: SQLCollation, isDescending: Bool
  ) -> SQLFragment? {
    let ending = isDescending ? " DESC NULLS LAST" : " NULLS FIRST"
    switch collation {
    case .stored: return value.appending(ending)
    case .decimal: return isNoNaN(value).appending("\(ending), ", value, ending)
    case .text(.lexical): return ordered(value).appending(ending)
    case .text: return nil
    }
  }

  package func groupTerm(_ value: SQLFragment, by collation: SQLCollation) -> SQLFragment? {
    switch collation {
    case .stored, .decimal: value
    case .text(.lexical): composed(value)
    case .text: nil
    }
  }

  /// The composed form of a text, which makes its group.
  package func groupKey(_ value: SQLFragment, by collation: SQLCollation) -> SQLFragment {
    groupTerm(value, by: collation) ?? value
  }

  package func extreme(
    _ extreme: SQLExtreme, of value: SQLFragment, by collation: SQLCollation
  ) -> SQLFragment? {
    let function = extreme == .least ? "min" : "max"
    switch collation {
    case .stored: return call(function, value)
    case .decimal: return extremeDecimal(extreme, of: value)
    case .text(.lexical): return call(function, ordered(value))
    case .text: return nil
    }
  }

  /// Integers are added exactly. Sums of reals depend on the order in which PostgreSQL adds, and decimal numbers have
  /// more digits than Swift's.
  package func total(_ value: SQLFragment, of kind: ColumnKind) -> SQLFragment? {
    guard kind == .integer || kind == .unsigned else { return nil }
    // The count, the sum, and the parts of other numbers, see `_NumberTotal.encoded`.
    return value.enclosed("concat(count(", "), ' ', ")
      .appending("COALESCE(sum(", value, "), 0)::text, ' 0 0 0 0')")
  }

  // MARK: - Lists of values

  /// The largest number of parameters for values that a list doesn't take.
  private static let maximumParameters = 10_000

  package func member(
    _ value: SQLFragment, of values: [SQLValue], by collation: SQLCollation
  ) throws(Untranslatable) -> SQLFragment {
    guard values.count > 1 else {
      return compare(value, .equal, SQLFragment(binding: values[0]), by: collation)
    }
    if let list = Self.list(of: values) {
      let parameter = SQLFragment(binding: .text(list))
      if case .text = collation {
        return composed(value).appending(
          " IN (SELECT normalize(v, NFC) FROM unnest(", parameter, "::text[]) AS u(v))")
      }
      // The parameter gets the type of lists of the value.
      return value.appending(" = ANY (", parameter, ")")
    }
    guard values.count <= Self.maximumParameters else {
      throw Untranslatable("\(values.count) captured values are more than one statement takes")
    }
    let marks = values.map { _ in "?" }.joined(separator: ", ")
    return operand(value, by: collation).appending(" IN (", SQLFragment(marks, values), ")")
  }

  /// Values as one list in its text form (https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO); nil for data,
  /// whose form depends on the type.
  static func list(of values: [SQLValue]) -> String? {
    var text = "{"
    for value in values {
      if text.utf8.count > 1 { text += "," }
      switch value {
      case .integer(let integer): text += String(integer)
      case .real(let real): text += String(real)
      case .text(let part):
        text += "\""
        for scalar in part.unicodeScalars {
          if scalar == "\"" || scalar == "\\" { text += "\\" }
          text.unicodeScalars.append(scalar)
        }
        text += "\""
      case .blob, .null: return nil
      }
    }
    return text + "}"
  }
}
