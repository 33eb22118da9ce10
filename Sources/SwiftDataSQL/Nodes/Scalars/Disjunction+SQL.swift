import Foundation

extension PredicateExpressions.Disjunction: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    try translation.joined(lhs, rhs, as: .disjunction)
  }
}
