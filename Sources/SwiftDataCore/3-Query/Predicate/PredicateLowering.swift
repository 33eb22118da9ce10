import Foundation

/// A node of a predicate that has a form without generic types, and a form for evaluation in memory
/// that can't end the process.
///
/// Foundation's node types conform without conditions on their parts: a part may be of a type that
/// doesn't conform, and then only that part is unknown. `Nodes` has a file for each of them.
protocol LowerableExpression<Output>: PredicateExpression {
  /// The types of the node's parts.
  static var parts: [any PredicateExpression.Type] { get }
  func checked() -> Checked<Output>
  func lowered(by lowering: inout PredicateLowering) -> PredicateNode
}

/// Makes the tree of ``PredicateNode`` of an expression.
package struct PredicateLowering {
  /// The number of nodes around the current node.
  private var depth = 0
  /// The reason for refusing the expression.
  private var refusal: SwiftDataError?

  /// - Throws: ``SwiftDataError/unsupportedPredicate`` for an expression that is nested too deep
  ///   for the thread's stack.
  package static func node(of expression: some PredicateExpression) throws -> PredicateNode {
    var lowering = PredicateLowering()
    let node = lowering.node(expression)
    if let refusal = lowering.refusal { throw refusal }
    return node
  }

  mutating func node<Expression: PredicateExpression>(
    _ expression: Expression
  ) -> PredicateNode {
    // Before anything else: the runtime finds the type of a node's value by recursion, too. An unknown node inside may
    // have hidden the depth of its parts.
    if depth == 0 || depth == ExpressionDepth.certain {
      if let failure = ExpressionDepth.failure(of: expression, inside: depth) {
        refusal = failure
        return .value(())
      }
    }
    guard let type = Expression.self as? any LowerableExpression.Type else {
      return .unknown(expression)
    }
    depth += 1
    defer { depth -= 1 }
    return withUnsafePointer(to: expression) { lowered(UnsafeRawPointer($0), as: type) }
  }

  /// - Parameter place: The address of an expression of the type, whose conformance has just been
  ///   checked: a cast of the expression itself would copy it with all of its parts.
  private mutating func lowered<Expression: LowerableExpression>(
    _ place: UnsafeRawPointer, as type: Expression.Type
  ) -> PredicateNode {
    place.assumingMemoryBound(to: type).pointee.lowered(by: &self)
  }
}

/// A predicate on one value without generic types.
package struct LoweredPredicate {
  package let node: PredicateNode
  package let variable: PredicateExpressions.VariableID

  /// - Throws: ``SwiftDataError/unsupportedPredicate`` for a predicate that is nested too deep for
  ///   the thread's stack.
  package init<Model>(_ predicate: Predicate<Model>) throws {
    node = try PredicateLowering.node(of: predicate.expression)
    variable = predicate.variable.key
  }
}
