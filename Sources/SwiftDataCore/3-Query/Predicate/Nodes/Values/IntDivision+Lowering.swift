import Foundation

extension PredicateExpressions.IntDivision: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<LHS.Output> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.IntDivision(lhs: left, rhs: right), .divide, left, right)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .division(lowering.node(lhs), .divide, lowering.node(rhs), of: LHS.Output.self)
  }
}
