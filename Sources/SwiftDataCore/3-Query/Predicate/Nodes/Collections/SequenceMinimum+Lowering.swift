import Foundation

extension PredicateExpressions.SequenceMinimum: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Elements.self] }

  func checked() -> Checked<Elements.Output.Element?> {
    let list = elements.checkedNode()
    return Checked(PredicateExpressions.SequenceMinimum(elements: list), over: list.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .sequenceExtreme(.minimum, lowering.node(elements), in: Elements.Output.self)
  }
}
