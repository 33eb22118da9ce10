import SwiftDataCore

extension Translation {
  mutating func arithmetic(
    _ lhs: PredicateNode, _ operation: IntegerOperation, _ rhs: PredicateNode,
    _ type: any Numeric.Type
  ) throws(Untranslatable) -> Operand {
    let left = try operand(lhs)
    let right = try operand(rhs)
    if case .constant(let first) = left, case .constant(let second) = right {
      return .constant(try fold(first, operation, second, as: type))
    }
    return .term(try Arithmetic.term(left, operation, right, as: type, in: dialect))
  }

  /// Computes constants in Swift, with a check where the operation would trap.
  private func fold<Number: Numeric>(
    _ first: Any, _ operation: IntegerOperation, _ second: Any, as type: Number.Type
  ) throws(Untranslatable) -> Any {
    guard let first = first as? Number, let second = second as? Number else {
      throw Untranslatable("two constants aren't of one type")
    }
    if let integer = first as? any FixedWidthInteger {
      guard let result = checked(integer, operation, second) else {
        throw Untranslatable("arithmetic of captured integers overflows")
      }
      return result
    }
    switch operation {
    case .add: return first + second
    case .subtract: return first - second
    case .multiply: return first * second
    case .divide, .remainder: throw Untranslatable("a quotient of captured values is not folded")
    }
  }

  /// - Returns: nil for an overflow and for a division by zero.
  func checked<Number: FixedWidthInteger>(
    _ first: Number, _ operation: IntegerOperation, _ second: Any
  ) -> Any? {
    guard let second = second as? Number else { return nil }
    return operation.result(first, second)
  }
}
