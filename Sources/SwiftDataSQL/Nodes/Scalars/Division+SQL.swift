import Foundation
import SwiftDataCore

extension PredicateExpressions.IntDivision: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .term(
      try Arithmetic.term(
        try translation.operand(lhs), .divide, try translation.operand(rhs), as: LHS.Output.self,
        in: translation.dialect))
  }
}

extension PredicateExpressions.IntRemainder: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .term(
      try Arithmetic.term(
        try translation.operand(lhs), .remainder, try translation.operand(rhs),
        as: LHS.Output.self, in: translation.dialect))
  }
}

extension PredicateExpressions.FloatDivision: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .term(
      try Arithmetic.term(
        try translation.operand(lhs), .divide, try translation.operand(rhs), as: LHS.Output.self,
        in: translation.dialect))
  }
}
