import Foundation

extension PredicateExpressions.SequenceContains: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (list, value) = (sequence.checkedNode(), element.checkedNode())
    return Checked(
      PredicateExpressions.SequenceContains(sequence: list, element: value), over: list.isGuarded,
      value.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .sequenceContains(
      lowering.node(sequence), lowering.node(element), by: ElementSearch<LHS.Output>.self)
  }
}
