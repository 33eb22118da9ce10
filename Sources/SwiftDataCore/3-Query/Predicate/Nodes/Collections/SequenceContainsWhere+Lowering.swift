import Foundation

extension PredicateExpressions.SequenceContainsWhere: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (list, test, variable) = (sequence.checkedNode(), test.checkedNode(), variable)
    return Checked(isGuarded: list.isGuarded || test.isGuarded) { bindings in
      try list.evaluate(bindings).contains {
        try test.evaluate(bindings.binding(variable, to: $0))
      }
    }
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .sequenceContainsWhere(
      lowering.node(sequence), variable.key, lowering.node(test), in: LHS.Output.self)
  }
}
