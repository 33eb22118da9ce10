import Foundation

extension PredicateExpressions.Comparison: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.Comparison(lhs: left, rhs: right, op: op), over: left.isGuarded,
      right.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .comparison(lowering.node(lhs), op, lowering.node(rhs), of: LHS.Output.self)
  }
}
