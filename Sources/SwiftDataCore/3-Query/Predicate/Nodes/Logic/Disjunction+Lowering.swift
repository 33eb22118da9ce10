import Foundation

extension PredicateExpressions.Disjunction: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.Disjunction(lhs: left, rhs: right), over: left.isGuarded,
      right.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .disjunction(lowering.node(lhs), lowering.node(rhs))
  }
}
