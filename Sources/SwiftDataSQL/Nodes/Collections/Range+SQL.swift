import SwiftDataCore

extension Translation {
  /// Bounds in the wrong order are an error during evaluation, so only constant bounds are known to
  /// be valid.
  mutating func range(
    _ lower: PredicateNode, _ upper: PredicateNode, _ includesUpper: Bool,
    _ type: any Comparable.Type
  ) throws(Untranslatable) -> Operand {
    let from = try operand(lower)
    let to = try operand(upper)
    guard case .constant(let first) = from, case .constant(let last) = to,
      ConstantOperations.compare(first, .lessThanOrEqual, last, as: type) == true
    else { throw Untranslatable("the bounds of a range may be in the wrong order") }
    return .range(RangeBounds(lower: first, upper: last, includesUpper: includesUpper))
  }
}
