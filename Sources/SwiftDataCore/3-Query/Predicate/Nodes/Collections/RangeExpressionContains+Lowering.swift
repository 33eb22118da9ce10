import Foundation

extension PredicateExpressions.RangeExpressionContains: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [RangeExpression.self, Element.self] }

  func checked() -> Checked<Bool> {
    let (range, value) = (range.checkedNode(), element.checkedNode())
    return Checked(
      PredicateExpressions.RangeExpressionContains(range: range, element: value),
      over: range.isGuarded, value.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .rangeContains(lowering.node(range), lowering.node(element))
  }
}
