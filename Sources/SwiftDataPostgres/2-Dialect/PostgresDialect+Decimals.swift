import SwiftDataSQL

/// The order of decimal numbers: NaN is equal to itself in Swift as in PostgreSQL, but less than all numbers in Swift
/// and greater here (https://www.postgresql.org/docs/15/datatype-numeric.html#DATATYPE-NUMERIC-DECIMAL).
extension PostgresDialect {
  private static let nan = "'NaN'::numeric"

  /// A comparison by order; nil for the others, which are the same for NaN.
  func compareDecimals(
    _ left: SQLFragment, _ comparison: SQLComparison, _ right: SQLFragment
  ) -> SQLFragment? {
    guard let symbol = symbol(ofOrder: comparison) else { return nil }
    guard right.sql == "?", right.bindings.count == 1 else {
      return isNoNaN(left).enclosed("(", ", ").appending("", left)
        .appending(")\(symbol)(", isNoNaN(right), ", ").appending("", right).appending(")")
    }
    if right.bindings[0] == .text("NaN") {
      switch comparison {
      case .less: return isNoNaN(left).appending(" AND FALSE").enclosed("(", ")")
      case .lessOrEqual: return left.appending(" = \(Self.nan)")
      case .greater: return isNoNaN(left)
      default: return left.appending(" = ").appending("", left)
      }
    }
    // An index serves these.
    let plain = left.appending(symbol, right)
    switch comparison {
    case .less, .lessOrEqual:
      return plain.appending(" OR ", left, " = \(Self.nan)").enclosed("(", ")")
    default: return plain.appending(" AND ", isNoNaN(left), "").enclosed("(", ")")
    }
  }

  private func symbol(ofOrder comparison: SQLComparison) -> String? {
    switch comparison {
    case .less: " < "
    case .lessOrEqual: " <= "
    case .greater: " > "
    case .greaterOrEqual: " >= "
    case .equal, .notEqual, .same, .different: nil
    }
  }

  func isNoNaN(_ value: SQLFragment) -> SQLFragment { value.appending(" <> \(Self.nan)") }

  /// The least or greatest of the values in Swift's order.
  func extremeDecimal(_ extreme: SQLExtreme, of value: SQLFragment) -> SQLFragment {
    switch extreme {
    case .least:
      value.enclosed("CASE WHEN bool_or(", " = \(Self.nan)) THEN \(Self.nan) ELSE min(")
        .appending("", value).appending(") END")
    case .greatest:
      value.enclosed("COALESCE(max(", ") FILTER (WHERE ")
        .appending("", isNoNaN(value)).appending("), max(").appending("", value).appending("))")
    }
  }
}
