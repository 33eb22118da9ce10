import Foundation

/// Evaluates an expression in memory like `Expression.evaluate`, but throws an error where that would end the process,
/// see ``PredicateEvaluation``.
package struct ExpressionEvaluation<Model, Value> {
  private let body: (Model) throws -> Value

  package init(_ expression: Expression<Model, Value>) {
    if let failure = ExpressionDepth.failure(of: expression.expression) {
      body = { _ in throw failure }
      return
    }
    let checked = expression.expression.checkedNode()
    guard checked.isGuarded else {
      body = { try expression.evaluate($0) }
      return
    }
    let variable = expression.variable
    body = { try checked.evaluate(PredicateBindings((variable, $0))) }
  }

  /// - Throws: The same errors as ``PredicateEvaluation/callAsFunction(_:)``.
  package func callAsFunction(_ model: Model) throws -> Value { try body(model) }
}
