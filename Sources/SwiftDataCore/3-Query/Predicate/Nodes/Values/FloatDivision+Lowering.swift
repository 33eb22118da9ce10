import Foundation

extension PredicateExpressions.FloatDivision: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<LHS.Output> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.FloatDivision(lhs: left, rhs: right), over: left.isGuarded,
      right.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .division(lowering.node(lhs), .divide, lowering.node(rhs), of: LHS.Output.self)
  }
}
