import Foundation

extension PredicateExpressions.CollectionIndexSubscript: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self, Index.self] }

  func checked() -> Checked<Wrapped.Output.Element> {
    let (list, position) = (wrapped.checkedNode(), index.checkedNode())
    return Checked(
      PredicateExpressions.CollectionIndexSubscript(wrapped: list, index: position),
      over: list.isGuarded, position.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .inMemory(
      .collectionIndexSubscript, [lowering.node(wrapped), lowering.node(index)])
  }
}
