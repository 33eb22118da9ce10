import Foundation
import SwiftDataCore

/// `<`, `<=`, `>` and `>=` with Swift's meaning: false with a NaN, texts in the order of their scalars.
enum Ordering {
  static func condition(
    _ lhs: Operand, _ op: PredicateExpressions.ComparisonOperator, _ rhs: Operand
  ) throws(Untranslatable) -> Condition {
    switch (lhs, rhs) {
    case (.term(let term), .constant(let value)): return try compare(term, op, value)
    case (.constant(let value), .term(let term)): return try compare(term, mirrored(op), value)
    case (.term(let left), .term(let right)): return try compare(left, op, right)
    default: throw Untranslatable("the operands of a comparison have no order in SQL")
    }
  }

  private static func compare(
    _ term: Term, _ op: PredicateExpressions.ComparisonOperator, _ constant: Any
  ) throws(Untranslatable) -> Condition {
    let collation = try collation(of: term.kind)
    let value = try ConstantEncoding.encode(constant, as: term.kind)
    if value == .null { throw Untranslatable("nil has no order") }
    if term.kind.hasNaN, case .text = value { return Condition(false) }
    let condition = Condition(
      term.fragment.appending(collation + symbol(op), SQLFragment(binding: value)))
    // The text NaN sorts after all numbers.
    guard term.kind.hasNaN, isGreater(op) else { return condition }
    return condition.and(isNumber(term))
  }

  private static func compare(
    _ left: Term, _ op: PredicateExpressions.ComparisonOperator, _ right: Term
  ) throws(Untranslatable) -> Condition {
    let collation = try collation(of: left.kind)
    let condition = Condition(left.fragment.appending(collation + symbol(op), right.fragment))
    guard left.kind.hasNaN else { return condition }
    // What is less than a number is a number too.
    return condition.and(isNumber(isGreater(op) ? left : right))
  }

  private static func isNumber(_ term: Term) -> Condition {
    Condition(term.fragment.appending(" < ''"))
  }

  private static func collation(of kind: TermKind) throws(Untranslatable) -> String {
    guard kind.isOrdered else {
      throw Untranslatable("the order of a type of the model's own is known to Swift only")
    }
    switch kind.encoding {
    case .text: return " COLLATE OSD_UNICODE"
    case .decimal: return " COLLATE OSD_DECIMAL"
    default: return ""
    }
  }

  private static func isGreater(_ op: PredicateExpressions.ComparisonOperator) -> Bool {
    op == .greaterThan || op == .greaterThanOrEqual
  }

  private static func symbol(_ op: PredicateExpressions.ComparisonOperator) -> String {
    switch op {
    case .lessThan: return " < "
    case .lessThanOrEqual: return " <= "
    case .greaterThan: return " > "
    case .greaterThanOrEqual: return " >= "
    @unknown default: return " < "
    }
  }

  private static func mirrored(
    _ op: PredicateExpressions.ComparisonOperator
  ) -> PredicateExpressions.ComparisonOperator {
    switch op {
    case .lessThan: return .greaterThan
    case .lessThanOrEqual: return .greaterThanOrEqual
    case .greaterThan: return .lessThan
    case .greaterThanOrEqual: return .lessThanOrEqual
    @unknown default: return op
    }
  }
}
