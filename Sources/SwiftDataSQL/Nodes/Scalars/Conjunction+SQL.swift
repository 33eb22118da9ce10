import Foundation

extension PredicateExpressions.Conjunction: SQLExpression {
  /// Where a superset will do, a part without translation is left out.
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let left: Condition
    do {
      left = try translation.condition(lhs)
    } catch {
      guard translation.approximation == .superset else { throw error }
      let right = try translation.condition(rhs)
      translation.reasons.append(error.reason)
      return .condition(right)
    }
    do {
      let right = try translation.knowing(left.nonNilWhenTrue) {
        (inner) throws(Untranslatable) in try inner.condition(rhs)
      }
      return .condition(left.and(right))
    } catch {
      guard translation.approximation == .superset else { throw error }
      translation.reasons.append(error.reason)
      return .condition(left)
    }
  }
}
