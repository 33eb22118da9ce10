import Foundation

extension PredicateExpressions.UnaryMinus: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self] }

  func checked() -> Checked<Wrapped.Output> {
    let part = wrapped.checkedNode()
    let zero = Checked(isGuarded: false) { _ in 0 as Wrapped.Output }
    return Checked(PredicateExpressions.UnaryMinus(part), .subtract, zero, part)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .unaryMinus(lowering.node(wrapped), of: Wrapped.Output.self)
  }
}
