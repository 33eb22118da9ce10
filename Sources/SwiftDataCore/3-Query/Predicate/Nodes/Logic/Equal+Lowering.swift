import Foundation

extension PredicateExpressions.Equal: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.Equal(lhs: left, rhs: right), over: left.isGuarded, right.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .equal(lowering.node(lhs), lowering.node(rhs), of: LHS.Output.self)
  }
}
