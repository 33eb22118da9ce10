import Foundation

extension PredicateExpressions.Disjunction: SQLExpression {
  /// Where a subset will do, a part without translation is left out.
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let left: Condition
    let reasons = translation.reasons.count
    do {
      left = try translation.condition(lhs)
    } catch {
      guard translation.approximation == .subset else { throw error }
      let right = try translation.condition(rhs)
      // The left part may keep the right one from what fails there.
      if right.fragment.canFail { throw error }
      translation.reasons.append(error.reason)
      return .condition(right)
    }
    let isApproximate = translation.reasons.count > reasons
    do throws(Untranslatable) {
      let right = try translation.knowing(left.nonNilWhenFalse) {
        (inner) throws(Untranslatable) in try inner.condition(rhs)
      }
      if right.fragment.canFail, isApproximate, translation.approximation == .subset {
        throw Untranslatable(
          "arithmetic may fail where a part that SQL can't do keeps it from that")
      }
      return .condition(left.or(right))
    } catch {
      guard translation.approximation == .subset else { throw error }
      translation.reasons.append(error.reason)
      return .condition(left)
    }
  }
}
