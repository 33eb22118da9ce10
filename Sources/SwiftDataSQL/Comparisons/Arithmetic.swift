import Foundation
import SwiftDataCore

/// Arithmetic that gives what Swift's gives.
///
/// Integers: SQLite counts in 64 bits and goes on in floating point where these overflow; Swift
/// would trap, so that no answer is lost. A division by zero, where Swift traps too, is 0.
/// Floating point: SQLite makes NULL of every NaN and of every division by zero, and a column's NaN
/// is a text, so NaN is taken out before and put back after.
enum Arithmetic {
  static func term(_ lhs: Operand, _ symbol: String, _ rhs: Operand) throws(Untranslatable) -> Term
  {
    let kind = try kind(lhs, rhs)
    let left = try lhs.term(as: kind)
    let right = try rhs.term(as: kind)
    switch kind.encoding {
    case .integer where !kind.isEnumeration && !kind.isRawValue:
      let whole = left.fragment.enclosed("(", " \(symbol) ").appending("", right.fragment, ")")
      let canBeNull = (symbol == "/" || symbol == "%") && !isNonZero(rhs)
      return Term(canBeNull ? whole.enclosed("IFNULL(", ", 0)") : whole, .integer)
    case .real where !kind.isFloat:
      if symbol == "/", !isNonZero(rhs) {
        throw Untranslatable("a division by zero is infinite in Swift and NULL in SQL")
      }
      return try real(left, symbol, right)
    default: throw Untranslatable("arithmetic of this type is known to Swift only")
    }
  }

  static func negative(_ operand: Operand) throws(Untranslatable) -> Term {
    guard case .term(let term) = operand else { throw Untranslatable("a number is expected") }
    switch term.kind.encoding {
    case .integer: return Term(term.fragment.enclosed("(-", ")"), .integer)
    case .real:
      return Term(
        term.fragment.enclosed("(CASE WHEN ", " < '' THEN -")
          .appending("", term.fragment, " ELSE 'NaN' END)"), term.kind)
    default: throw Untranslatable("arithmetic of this type is known to Swift only")
    }
  }

  static func real(_ left: Term, _ symbol: String, _ right: Term) throws(Untranslatable) -> Term {
    let nan = SQLValue.text("NaN")
    if left.fragment.bindings == [nan] || right.fragment.bindings == [nan] {
      return Term(SQLFragment(binding: nan), .real)
    }
    var test = left.fragment.appending(" < ''")
    if right.fragment.sql != "?" { test = test.appending(" AND ", right.fragment, " < ''") }
    let result = left.fragment.enclosed("IFNULL(", " \(symbol) ").appending("", right.fragment)
    return Term(
      test.enclosed("(CASE WHEN ", " THEN ").appending("", result, ", 'NaN') ELSE 'NaN' END)"),
      .real)
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
}
