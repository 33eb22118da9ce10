import Foundation

/// A node of a predicate that yields an expression, as a program has to declare it: expressions aren't `Codable`, which
/// a captured value must be.
package struct ExpressionNode<each Input, Value>: StandardPredicateExpression {
  package typealias Output = Expression<repeat each Input, Value>

  private struct NotCoded: Error {}

  private let expression: Output

  package init(_ expression: Output) { self.expression = expression }

  package init(from decoder: any Decoder) throws { throw NotCoded() }

  package func encode(to encoder: any Encoder) throws { throw NotCoded() }

  package func evaluate(_ bindings: PredicateBindings) throws -> Output { expression }
}
