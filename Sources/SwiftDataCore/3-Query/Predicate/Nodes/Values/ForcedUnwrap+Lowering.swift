import Foundation

extension PredicateExpressions.ForcedUnwrap: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Inner.self] }

  func checked() -> Checked<Wrapped> {
    let part = inner.checkedNode()
    return Checked(PredicateExpressions.ForcedUnwrap(part), over: part.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .forcedUnwrap(lowering.node(inner))
  }
}
