import Foundation

extension PredicateExpressions.ConditionalCast: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Input.self] }

  func checked() -> Checked<Desired?> {
    let part = input.checkedNode()
    return Checked(
      PredicateExpressions.ConditionalCast<Checked<Input.Output>, Desired>(part),
      over: part.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .conditionalCast(lowering.node(input), Desired.self)
  }
}
