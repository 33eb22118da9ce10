import Foundation

@testable import SwiftDataCore

/// A predicate as a part of another one: its expression, with its variable bound to the outer
/// variable.
struct Part: StandardPredicateExpression {
  typealias Output = Bool

  struct NotCoded: Error {}

  let root: PredicateExpressions.Variable<Specimen>
  let predicate: Predicate<Specimen>

  init(_ root: PredicateExpressions.Variable<Specimen>, _ predicate: Predicate<Specimen>) {
    self.root = root
    self.predicate = predicate
  }

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try predicate.evaluate(try root.evaluate(bindings))
  }

  init(from decoder: any Decoder) throws { throw NotCoded() }
  func encode(to encoder: any Encoder) throws { throw NotCoded() }
}

extension Part: LowerableExpression {
  // The type doesn't reveal the predicate.
  static var parts: [any PredicateExpression.Type] { [] }

  func checked() -> Checked<Bool> { Checked(self, over: false) }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .composed(
      lowering.node(predicate.expression),
      [.init(parameter: predicate.variable.key, argument: root.key)])
  }
}
