import Foundation

extension PredicateExpressions._StringOperation: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Root.self, Other.self] }

  func checked() -> Checked<Operation.Output> {
    let (text, second) = (root.checkedNode(), other.checkedNode())
    return Checked(
      PredicateExpressions._StringOperation<_, _, Operation>(root: text, other: second),
      over: text.isGuarded, second.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .stringOperation(lowering.node(root), lowering.node(other), Operation.self)
  }
}
