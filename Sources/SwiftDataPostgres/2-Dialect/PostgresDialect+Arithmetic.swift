import SwiftDataCore
import SwiftDataSQL

extension PostgresDialect {
  /// The server fails where Swift's arithmetic of 64 bits has no result, except for the remainder of the smallest
  /// integer by -1.
  package func integer(
    _ operation: IntegerOperation, _ left: SQLFragment, _ right: SQLFragment,
    in range: ClosedRange<Int64>?
  ) -> SQLFragment {
    let (left, right) = (typed(left, "bigint"), typed(right, "bigint"))
    var result = left.enclosed("(", " \(symbol(of: operation)) ").appending("", right, ")")
    if operation == .remainder {
      let quotient = left.enclosed("0 * (", " / ").appending("", right, ")")
      result = result.enclosed("(", " + ").appending("", quotient, ")")
    }
    if let range { result = within(range, result) }
    result.canFail = true
    return result
  }

  /// The value if it lies in a range. Otherwise the server divides by 0, when it gets there: a constant division would
  /// fail while the statement is planned.
  private func within(_ range: ClosedRange<Int64>, _ value: SQLFragment) -> SQLFragment {
    value.enclosed(
      "(SELECT CASE WHEN v BETWEEN (\(range.lowerBound)) AND (\(range.upperBound)) THEN v"
        + " ELSE 1 / (v - v) END FROM (VALUES (", ")) AS r(v))")
  }

  private func symbol(of operation: IntegerOperation) -> String {
    switch operation {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .remainder: "%"
    }
  }

  package func real(
    _ operation: IntegerOperation, _ left: SQLFragment, _ right: SQLFragment
  ) throws(Untranslatable) -> SQLFragment {
    throw Untranslatable("PostgreSQL fails where Swift's arithmetic of reals gives infinity or 0")
  }

  package func negative(_ real: SQLFragment) -> SQLFragment {
    typed(real, "double precision").enclosed("(-", ")")
  }
}
