import Foundation

extension PredicateExpressions.Negation: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self] }

  func checked() -> Checked<Bool> {
    let part = wrapped.checkedNode()
    return Checked(PredicateExpressions.Negation(part), over: part.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .negation(lowering.node(wrapped))
  }
}
