import Foundation

extension PredicateExpressions.Negation: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let outer = translation.approximation
    translation.approximation = outer.opposite
    defer { translation.approximation = outer }
    return .condition(try translation.condition(wrapped).negated())
  }
}
