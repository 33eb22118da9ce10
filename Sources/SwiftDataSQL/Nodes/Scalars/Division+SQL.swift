import SwiftDataCore

extension Translation {
  mutating func division(
    _ lhs: PredicateNode, _ operation: IntegerOperation, _ rhs: PredicateNode,
    _ type: any Any.Type
  ) throws(Untranslatable) -> Operand {
    let left = try operand(lhs)
    let right = try operand(rhs)
    if case .constant(let first) = left, case .constant(let second) = right {
      return .constant(try quotient(first, operation, second))
    }
    return .term(try Arithmetic.term(left, operation, right, as: type, in: dialect))
  }

  /// Computes a quotient or remainder of constants in Swift.
  private func quotient(
    _ first: Any, _ operation: IntegerOperation, _ second: Any
  ) throws(Untranslatable) -> Any {
    if operation == .divide {
      if let first = first as? Double, let second = second as? Double { return first / second }
      if let first = first as? Float, let second = second as? Float { return first / second }
    }
    guard let integer = first as? any FixedWidthInteger else {
      throw Untranslatable("a quotient of captured values of this type is known to Swift only")
    }
    guard let result = checked(integer, operation, second) else {
      throw Untranslatable("a quotient of captured integers has no result")
    }
    return result
  }
}
