import Foundation

extension PredicateExpressions.TypeCheck: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Input.self] }

  func checked() -> Checked<Bool> {
    let part = input.checkedNode()
    return Checked(
      PredicateExpressions.TypeCheck<Checked<Input.Output>, Desired>(part), over: part.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .typeCheck(lowering.node(input), Desired.self)
  }
}
