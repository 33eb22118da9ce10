import Foundation

extension PredicateExpressions.KeyPath: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Root.self] }

  func checked() -> Checked<Output> {
    let part = root.checkedNode()
    return Checked(
      PredicateExpressions.KeyPath(root: part, keyPath: keyPath), over: part.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .keyPath(lowering.node(root), keyPath)
  }
}
