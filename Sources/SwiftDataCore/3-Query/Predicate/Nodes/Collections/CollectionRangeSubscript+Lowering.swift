import Foundation

extension PredicateExpressions.CollectionRangeSubscript: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self, Range.self] }

  func checked() -> Checked<Wrapped.Output.SubSequence> {
    let (list, positions) = (wrapped.checkedNode(), range.checkedNode())
    return Checked(
      PredicateExpressions.CollectionRangeSubscript(wrapped: list, range: positions),
      over: list.isGuarded, positions.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .inMemory(
      .collectionRangeSubscript, [lowering.node(wrapped), lowering.node(range)])
  }
}
