import Foundation

extension PredicateExpressions.OptionalFlatMap: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Result?> {
    let (part, transform, variable) = (wrapped.checkedNode(), transform.checkedNode(), variable)
    return Checked(isGuarded: part.isGuarded || transform.isGuarded) { bindings in
      guard let value = try part.evaluate(bindings) else { return nil }
      // The closure returns a result or an optional result.
      return try transform.evaluate(bindings.binding(variable, to: value)) as? Result
    }
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .optionalFlatMap(
      lowering.node(wrapped), variable.key, lowering.node(transform), as: Result?.self)
  }
}
