import Foundation

extension PredicateExpressions.NilCoalesce: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<RHS.Output> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.NilCoalesce(lhs: left, rhs: right), over: left.isGuarded,
      right.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .nilCoalesce(lowering.node(lhs), lowering.node(rhs), of: LHS.Output.self)
  }
}
