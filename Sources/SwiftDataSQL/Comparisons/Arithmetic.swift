import Foundation
import SwiftDataCore

/// Arithmetic with the same results as Swift's. Integer arithmetic fails where Swift has no result.
enum Arithmetic {
  /// - Parameter type: The Swift type of the operands and the result.
  static func term(
    _ lhs: Operand, _ operation: IntegerOperation, _ rhs: Operand, as type: any Any.Type,
    in dialect: any SQLDialect
  ) throws(Untranslatable) -> Term {
    let kind = try kind(lhs, rhs)
    let left = try lhs.term(as: kind)
    let right = try rhs.term(as: kind)
    switch kind.encoding {
    case .integer where !kind.isOwnType:
      return try integer(
        left, operation, right, isSafe: isSafe(operation, by: rhs), type, in: dialect)
    case .real where !kind.isFloat:
      if operation == .divide, !isNonZero(rhs) {
        throw Untranslatable("a division by zero is infinite in Swift and NULL in SQL")
      }
      return try real(left, operation, right, in: dialect)
    default: throw Untranslatable("arithmetic of this type is known to Swift only")
    }
  }

  static func negative(
    _ operand: Operand, as type: any Any.Type, in dialect: any SQLDialect
  ) throws(Untranslatable) -> Term {
    guard case .term(let term) = operand else { throw Untranslatable("a number is expected") }
    switch term.kind.encoding {
    case .integer:
      return try integer(
        Term(SQLFragment("0"), .integer), .subtract, term, isSafe: false, type, in: dialect)
    case .real:
      try check(term)
      return Term(dialect.negative(term.fragment), term.kind)
    default: throw Untranslatable("arithmetic of this type is known to Swift only")
    }
  }

  private static func integer(
    _ left: Term, _ operation: IntegerOperation, _ right: Term, isSafe: Bool,
    _ type: any Any.Type, in dialect: any SQLDialect
  ) throws(Untranslatable) -> Term {
    guard let range = IntegerRange(type) else {
      throw Untranslatable("arithmetic of \(type) is known to Swift only")
    }
    if isSafe {
      let symbol = operation == .divide ? "/" : "%"
      return Term(
        left.fragment.enclosed("(", " \(symbol) ").appending("", right.fragment, ")"), .integer)
    }
    var result = dialect.integer(operation, left.fragment, right.fragment, in: range.bounds)
    result.canFail = true
    return Term(result, .integer)
  }

  /// The range of an integer type whose values all fit into 64 bits with a sign.
  private struct IntegerRange {
    /// The bounds; nil for all 64 bits.
    var bounds: ClosedRange<Int64>?

    init?(_ type: any Any.Type) {
      guard let integer = type as? any FixedWidthInteger.Type else { return nil }
      self.init(of: integer)
    }

    private init?<Integer: FixedWidthInteger>(of type: Integer.Type) {
      guard let lowest = Int64(exactly: Integer.min), let highest = Int64(exactly: Integer.max)
      else { return nil }
      if lowest != .min || highest != .max { bounds = lowest...highest }
    }
  }

  static func real(
    _ left: Term, _ operation: IntegerOperation, _ right: Term, in dialect: any SQLDialect
  ) throws(Untranslatable) -> Term {
    let nan = SQLFragment(binding: .text("NaN"))
    if left.fragment == nan || right.fragment == nan { return Term(nan, .real) }
    try check(left)
    try check(right)
    return Term(try dialect.real(operation, left.fragment, right.fragment), .real)
  }

  /// The maximum length of an operand that is a real number, in bytes of SQL.
  private static let longestReal = 10_000

  /// Refuses an operand that is long: a dialect may need it twice, because of what SQL makes of NaN, so that the length
  /// of nested operations doubles with each of them.
  private static func check(_ operand: Term) throws(Untranslatable) {
    guard operand.fragment.sql.utf8.count <= longestReal else {
      throw Untranslatable("the arithmetic is nested too deeply for SQL")
    }
  }

  private static func kind(_ lhs: Operand, _ rhs: Operand) throws(Untranslatable) -> TermKind {
    switch (lhs, rhs) {
    case (.term(let term), _), (_, .term(let term)): return term.kind
    default: throw Untranslatable("the operands of arithmetic are not numbers")
    }
  }

  private static func isNonZero(_ operand: Operand) -> Bool {
    guard case .constant(let value) = operand else { return false }
    switch value {
    case let number as Double: return !number.isZero && !number.isNaN
    case let number as any BinaryInteger: return isNonZero(integer: number)
    default: return false
    }
  }

  private static func isNonZero(integer: some BinaryInteger) -> Bool { integer != 0 }

  /// Whether a division or remainder by a constant always has a result: only the divisors 0 and -1
  /// may give none.
  private static func isSafe(_ operation: IntegerOperation, by operand: Operand) -> Bool {
    guard operation == .divide || operation == .remainder, case .constant(let value) = operand,
      let number = value as? any BinaryInteger
    else { return false }
    return isNonZero(integer: number) && !isMinusOne(number)
  }

  private static func isMinusOne(_ number: some BinaryInteger) -> Bool { number == -1 }
}
