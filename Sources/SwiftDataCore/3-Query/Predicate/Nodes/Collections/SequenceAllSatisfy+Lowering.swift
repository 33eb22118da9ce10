import Foundation

extension PredicateExpressions.SequenceAllSatisfy: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (list, test, variable) = (sequence.checkedNode(), test.checkedNode(), variable)
    return Checked(isGuarded: list.isGuarded || test.isGuarded) { bindings in
      try list.evaluate(bindings).allSatisfy {
        try test.evaluate(bindings.binding(variable, to: $0))
      }
    }
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .sequenceAllSatisfy(
      lowering.node(sequence), variable.key, lowering.node(test), in: LHS.Output.self)
  }
}
