import Foundation

extension PredicateExpressions.IntDivision: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .term(try Arithmetic.term(try translation.operand(lhs), "/", try translation.operand(rhs)))
  }
}

extension PredicateExpressions.IntRemainder: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .term(try Arithmetic.term(try translation.operand(lhs), "%", try translation.operand(rhs)))
  }
}

extension PredicateExpressions.FloatDivision: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .term(try Arithmetic.term(try translation.operand(lhs), "/", try translation.operand(rhs)))
  }
}
