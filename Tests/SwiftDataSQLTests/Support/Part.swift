import Foundation

@testable import SwiftDataSQL

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

extension Part: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let model = try translation.operand(root)
    return try translation.binding(predicate.variable.key, to: model) {
      (inner) throws(Untranslatable) in .condition(try inner.condition(predicate.expression))
    }
  }
}
