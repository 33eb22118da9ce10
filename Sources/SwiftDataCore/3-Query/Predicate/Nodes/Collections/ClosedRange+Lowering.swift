import Foundation

extension PredicateExpressions.ClosedRange: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<ClosedRange<LHS.Output>> {
    let (lower, upper) = (lower.checkedNode(), upper.checkedNode())
    return Checked(isGuarded: true) { bindings in
      let (first, last) = (try lower.evaluate(bindings), try upper.evaluate(bindings))
      guard first <= last else { throw SwiftDataError.wrongBounds }
      return first...last
    }
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .range(
      lowering.node(lower), lowering.node(upper), includesUpper: true, of: LHS.Output.self)
  }
}
