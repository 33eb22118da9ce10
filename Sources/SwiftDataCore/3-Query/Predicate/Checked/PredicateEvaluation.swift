import Foundation

/// Evaluates a predicate in memory like `Predicate.evaluate`, but throws an error where that would end the process: for
/// integers that overflow, divisions by zero and ranges that end before they begin.
package struct PredicateEvaluation<Model> {
  private let body: (Model) throws -> Bool
  /// Whether the predicate may have no result for some models.
  let isGuarded: Bool

  package init(_ predicate: Predicate<Model>) {
    if let failure = ExpressionDepth.failure(of: predicate.expression) {
      isGuarded = true
      body = { _ in throw failure }
      return
    }
    let checked = predicate.expression.checkedNode()
    isGuarded = checked.isGuarded
    guard checked.isGuarded else {
      body = { try predicate.evaluate($0) }
      return
    }
    let variable = predicate.variable
    body = { try checked.evaluate(PredicateBindings((variable, $0))) }
  }

  /// - Throws: ``SwiftDataError/unsupportedPredicate`` when arithmetic has no result and for a predicate that is nested
  ///   too deep for the thread's stack; Foundation's `PredicateError` when nil is unwrapped by force and in similar
  ///   cases.
  package func callAsFunction(_ model: Model) throws -> Bool { try body(model) }
}

/// The checked form of a node.
struct Checked<Output>: PredicateExpression {
  /// Whether it behaves differently from the node that it replaces.
  let isGuarded: Bool
  private let body: (PredicateBindings) throws -> Output

  init(isGuarded: Bool, _ body: @escaping (PredicateBindings) throws -> Output) {
    self.isGuarded = isGuarded
    self.body = body
  }

  /// Makes the same node over checked parts.
  init(
    _ node: some PredicateExpression<Output>, over parts: Bool...
  ) {
    self.init(isGuarded: parts.contains(true)) { try node.evaluate($0) }
  }

  func evaluate(_ bindings: PredicateBindings) throws -> Output { try body(bindings) }
}

extension PredicateExpression {
  func checkedNode() -> Checked<Output> {
    if let node = self as? any LowerableExpression<Output> { return node.checked() }
    return Checked(self, over: false)
  }
}

extension SwiftDataError {
  /// The error of a range whose bounds are in the wrong order.
  static var wrongBounds: SwiftDataError {
    evaluationFailure("a range ends before it begins.")
  }

  /// The error of a predicate whose evaluation has no result.
  static func evaluationFailure(_ what: String) -> SwiftDataError {
    .unsupportedPredicate.explained(
      "The predicate can't be evaluated for some model: \(what) Exclude such models in the predicate"
        + " first, as in `$0.count > 0 && $0.sum / $0.count > 5`.")
  }
}
