import Foundation

extension PredicateExpressions.ExpressionEvaluate: LowerableExpression {
  static var parts: [any PredicateExpression.Type] {
    var parts: [any PredicateExpression.Type] = [Transformation.self]
    repeat parts.append((each Input).self)
    return parts
  }

  /// The expression is known during the evaluation only, so it may always be one without a result.
  func checked() -> Checked<Output> {
    let expression = expression.checkedNode()
    let input = (repeat (each input).checkedNode())
    return Checked(isGuarded: true) { bindings in
      let evaluated = try expression.evaluate(bindings)
      if let failure = ExpressionDepth.failure(of: evaluated.expression) { throw failure }
      var inner = PredicateBindings()
      for (variable, part) in repeat (each evaluated.variable, each input) {
        inner = inner.binding(variable, to: try part.evaluate(bindings))
      }
      return try evaluated.expression.checkedNode().evaluate(inner)
    }
  }

  /// A part that yields an expression is of a type of the program's own, because expressions aren't `Codable`.
  func lowered(by lowering: inout PredicateLowering) -> PredicateNode { .unknown(self) }
}
