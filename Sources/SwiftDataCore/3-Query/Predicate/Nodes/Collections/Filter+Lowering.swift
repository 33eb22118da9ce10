import Foundation

extension PredicateExpressions.Filter: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<[LHS.Output.Element]> {
    let (list, test, variable) = (sequence.checkedNode(), filter.checkedNode(), variable)
    return Checked(isGuarded: list.isGuarded || test.isGuarded) { bindings in
      try list.evaluate(bindings).filter {
        try test.evaluate(bindings.binding(variable, to: $0))
      }
    }
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .filter(
      lowering.node(sequence), variable.key, lowering.node(filter), in: LHS.Output.self)
  }
}
