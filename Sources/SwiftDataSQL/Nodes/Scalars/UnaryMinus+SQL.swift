import SwiftDataCore

extension Translation {
  mutating func unaryMinus(
    _ part: PredicateNode, _ type: any SignedNumeric.Type
  ) throws(Untranslatable) -> Operand {
    let inner = try operand(part)
    guard case .constant(let value) = inner else {
      return .term(try Arithmetic.negative(inner, as: type, in: dialect))
    }
    return .constant(try negative(value, as: type))
  }

  private func negative<Number: SignedNumeric>(
    _ value: Any, as type: Number.Type
  ) throws(Untranslatable) -> Any {
    guard let number = value as? Number else { throw Untranslatable("a captured value is nil") }
    if let integer = number as? any FixedWidthInteger, isMinimum(integer) {
      throw Untranslatable("arithmetic of captured integers overflows")
    }
    return -number
  }

  private func isMinimum<Number: FixedWidthInteger>(_ number: Number) -> Bool {
    Number.isSigned && number == Number.min
  }
}
