import Foundation

extension PredicateExpressions.CollectionContainsCollection: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Base.self, Other.self] }

  func checked() -> Checked<Bool> {
    let (list, part) = (base.checkedNode(), other.checkedNode())
    return Checked(
      PredicateExpressions.CollectionContainsCollection(base: list, other: part),
      over: list.isGuarded, part.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .collectionContains(
      lowering.node(base), lowering.node(other),
      areTexts: Base.Output.self == String.self && Other.Output.self == String.self)
  }
}
