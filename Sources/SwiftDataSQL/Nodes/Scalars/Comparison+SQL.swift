import Foundation

extension PredicateExpressions.Comparison: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let left = try translation.operand(lhs)
    let right = try translation.operand(rhs)
    switch (left, right) {
    case (.constant(let first), .constant(let second)):
      return .condition(try translation.fold(first, second, holds))
    case (.term(let term), .constant(let value)):
      guard let coalesced = term.coalesced,
        let fallback = translation.foldable(coalesced.fallback, value, holds)
      else { break }
      let bare = try Ordering.condition(
        .term(coalesced.base), op, right, in: translation.dialect)
      return .condition(coalesced.base.split(bare, whenNil: fallback))
    default: break
    }
    return .condition(try Ordering.condition(left, op, right, in: translation.dialect))
  }

  private func holds(_ first: LHS.Output, _ second: LHS.Output) -> Bool {
    switch op {
    case .lessThan: return first < second
    case .lessThanOrEqual: return first <= second
    case .greaterThan: return first > second
    case .greaterThanOrEqual: return first >= second
    @unknown default: return false
    }
  }
}
