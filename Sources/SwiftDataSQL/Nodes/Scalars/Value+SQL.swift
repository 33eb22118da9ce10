import Foundation

extension PredicateExpressions.Value: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .constant(value)
  }
}

extension PredicateExpressions.NilLiteral: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .constant(Wrapped?.none as Any)
  }
}
