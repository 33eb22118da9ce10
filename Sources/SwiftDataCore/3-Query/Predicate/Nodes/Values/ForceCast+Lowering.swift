import Foundation

extension PredicateExpressions.ForceCast: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Input.self] }

  func checked() -> Checked<Desired> {
    let part = input.checkedNode()
    return Checked(
      PredicateExpressions.ForceCast<Checked<Input.Output>, Desired>(part), over: part.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .forceCast(lowering.node(input), Desired.self)
  }
}
