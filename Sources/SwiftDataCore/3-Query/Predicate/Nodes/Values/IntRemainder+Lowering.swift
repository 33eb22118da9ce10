import Foundation

extension PredicateExpressions.IntRemainder: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<LHS.Output> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.IntRemainder(lhs: left, rhs: right), .remainder, left, right)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .division(lowering.node(lhs), .remainder, lowering.node(rhs), of: LHS.Output.self)
  }
}
