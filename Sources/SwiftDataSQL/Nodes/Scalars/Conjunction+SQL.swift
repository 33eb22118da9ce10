import Foundation

extension PredicateExpressions.Conjunction: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    try translation.joined(lhs, rhs, as: .conjunction)
  }
}
