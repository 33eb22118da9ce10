import Foundation
import SwiftDataCore

extension PredicateExpressions.Arithmetic: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let left = try translation.operand(lhs)
    let right = try translation.operand(rhs)
    if case .constant(let first) = left, case .constant(let second) = right {
      return .constant(try fold(first, second))
    }
    let operation: IntegerOperation
    switch op {
    case .add: operation = .add
    case .subtract: operation = .subtract
    case .multiply: operation = .multiply
    @unknown default: throw Untranslatable("an operator is not known")
    }
    return .term(
      try Arithmetic.term(
        left, operation, right, as: LHS.Output.self, in: translation.dialect))
  }

  /// Computes constants in Swift, with a check where the operation would trap.
  private func fold(_ first: Any, _ second: Any) throws(Untranslatable) -> Any {
    guard let first = first as? LHS.Output, let second = second as? LHS.Output else {
      throw Untranslatable("two constants aren't of one type")
    }
    if let integer = first as? any FixedWidthInteger {
      guard let result = checked(integer, second) else {
        throw Untranslatable("arithmetic of captured integers overflows")
      }
      return result
    }
    switch op {
    case .add: return first + second
    case .subtract: return first - second
    case .multiply: return first * second
    @unknown default: return first + second
    }
  }

  private func checked<Number: FixedWidthInteger>(_ first: Number, _ second: Any) -> Any? {
    guard let second = second as? Number else { return nil }
    let (value, overflow) =
      switch op {
      case .add: first.addingReportingOverflow(second)
      case .subtract: first.subtractingReportingOverflow(second)
      case .multiply: first.multipliedReportingOverflow(by: second)
      @unknown default: (first, true)
      }
    return overflow ? nil : value
  }
}
