import Foundation

extension PredicateExpressions.Variable: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    try translation.variable(key)
  }
}
