import Foundation

extension PredicateExpressions.Disjunction: SQLExpression {
  /// Where a subset will do, a part without translation is left out.
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let left: Condition
    do {
      left = try translation.condition(lhs)
    } catch {
      guard translation.approximation == .subset else { throw error }
      let right = try translation.condition(rhs)
      translation.reasons.append(error.reason)
      return .condition(right)
    }
    do {
      let right = try translation.knowing(left.nonNilWhenFalse) {
        (inner) throws(Untranslatable) in try inner.condition(rhs)
      }
      return .condition(left.or(right))
    } catch {
      guard translation.approximation == .subset else { throw error }
      translation.reasons.append(error.reason)
      return .condition(left)
    }
  }
}
