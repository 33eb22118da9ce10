import Foundation

extension PredicateExpressions.Range: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .range(try translation.bounds(lower, upper, includesUpper: false))
  }
}

extension PredicateExpressions.ClosedRange: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .range(try translation.bounds(lower, upper, includesUpper: true))
  }
}

extension Translation {
  /// Bounds in the wrong order are an error during evaluation, so only constant bounds are known to
  /// be valid.
  mutating func bounds<Lower: PredicateExpression, Upper: PredicateExpression>(
    _ lower: Lower, _ upper: Upper, includesUpper: Bool
  ) throws(Untranslatable) -> RangeBounds
  where Lower.Output == Upper.Output, Lower.Output: Comparable {
    let from = try operand(lower)
    let to = try operand(upper)
    guard case .constant(let first as Lower.Output) = from,
      case .constant(let last as Lower.Output) = to, first <= last
    else { throw Untranslatable("the bounds of a range may be in the wrong order") }
    return RangeBounds(lower: first, upper: last, includesUpper: includesUpper)
  }
}
