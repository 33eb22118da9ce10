import SwiftDataCore

/// Integers: SQLite continues in floating point when 64 bits overflow, and a division by zero yields NULL. Swift has no
/// result there, so functions do the arithmetic and fail in these cases.
///
/// Floating point: SQLite turns every NaN and every division by zero into NULL, and a NaN is stored in a column as
/// text, so NaN is excluded before the operation and restored after it.
extension SQLiteDialect {
  package func integer(
    _ operation: IntegerOperation, _ left: SQLFragment, _ right: SQLFragment,
    in range: ClosedRange<Int64>?
  ) -> SQLFragment {
    let result = call(operation.function, left, right)
    guard let range else { return result }
    return result.enclosed(
      IntegerFunctions.within + "(", ", \(range.lowerBound), \(range.upperBound))")
  }

  package func real(
    _ operation: IntegerOperation, _ left: SQLFragment, _ right: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    let symbol = try symbol(of: operation)
    var test = isNumber(left)
    if right.sql != "?" { test = test.appending(" AND ", isNumber(right)) }
    let result = left.enclosed("IFNULL(", " \(symbol) ").appending("", right)
    return test.enclosed("(CASE WHEN ", " THEN ").appending("", result, ", 'NaN') ELSE 'NaN' END)")
  }

  package func negative(_ real: SQLFragment) -> SQLFragment {
    isNumber(real).enclosed("(CASE WHEN ", " THEN -").appending("", real, " ELSE 'NaN' END)")
  }

  private func symbol(of operation: IntegerOperation) throws(Untranslatable) -> String {
    switch operation {
    case .add: return "+"
    case .subtract: return "-"
    case .multiply: return "*"
    case .divide: return "/"
    case .remainder: throw Untranslatable("real numbers have no remainder in predicates")
    }
  }
}
