import Foundation
import SwiftDataCore

extension PredicateExpressions.UnaryMinus: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let inner = try translation.operand(wrapped)
    guard case .constant(let value) = inner else {
      return .term(
        try Arithmetic.negative(inner, as: Wrapped.Output.self, in: translation.dialect))
    }
    guard let number = value as? Wrapped.Output else {
      throw Untranslatable("a captured value is nil")
    }
    if let integer = number as? any FixedWidthInteger, isMinimum(integer) {
      throw Untranslatable("arithmetic of captured integers overflows")
    }
    return .constant(-number)
  }

  private func isMinimum<Number: FixedWidthInteger>(_ number: Number) -> Bool {
    Number.isSigned && number == Number.min
  }
}
