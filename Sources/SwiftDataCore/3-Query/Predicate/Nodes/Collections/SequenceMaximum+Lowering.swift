import Foundation

extension PredicateExpressions.SequenceMaximum: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Elements.self] }

  func checked() -> Checked<Elements.Output.Element?> {
    let list = elements.checkedNode()
    return Checked(PredicateExpressions.SequenceMaximum(elements: list), over: list.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .sequenceExtreme(.maximum, lowering.node(elements), in: Elements.Output.self)
  }
}
