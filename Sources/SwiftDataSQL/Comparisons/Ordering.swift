import Foundation
import SwiftDataCore

/// `<`, `<=`, `>` and `>=` with Swift's meaning: false with a NaN, strings in the order of their
/// scalars.
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
    if term.kind.hasNaN, case .text = value {
      return Condition(term.kind.encoding == .date && includesEqual(op))
    }
    if term.kind.encoding == .text { return texts(term.fragment, op, SQLFragment(binding: value)) }
    let condition = Condition(
      term.fragment.appending(collation + symbol(op), SQLFragment(binding: value)))
    switch term.kind.encoding {
    case .date: return date(term, op, condition)
    // The text 'NaN' sorts after all numbers.
    case .real: return isGreater(op) ? condition.and(isNumber(term)) : condition
    default: return condition
    }
  }

  private static func compare(
    _ left: Term, _ op: PredicateExpressions.ComparisonOperator, _ right: Term
  ) throws(Untranslatable) -> Condition {
    let collation = try collation(of: left.kind)
    if left.kind.encoding == .text { return texts(left.fragment, op, right.fragment) }
    let condition = Condition(left.fragment.appending(collation + symbol(op), right.fragment))
    switch left.kind.encoding {
    case .date where includesEqual(op):
      return try compare(left, op == .lessThanOrEqual ? .greaterThan : .lessThan, right).negated()
    // A value less than a number is a number too.
    case .real, .date: return condition.and(isNumber(isGreater(op) ? left : right))
    default: return condition
    }
  }

  /// `Date` has no `<=` of its own, so Swift evaluates `!(rhs < lhs)`, which is true for a date
  /// that is NaN.
  private static func date(
    _ term: Term, _ op: PredicateExpressions.ComparisonOperator, _ condition: Condition
  ) -> Condition {
    switch op {
    case .greaterThan: return condition.and(isNumber(term))
    case .lessThanOrEqual: return condition.or(Condition(term.fragment.appending(" >= ''")))
    default: return condition
    }
  }

  private static func includesEqual(_ op: PredicateExpressions.ComparisonOperator) -> Bool {
    op == .lessThanOrEqual || op == .greaterThanOrEqual
  }

  private static func isNumber(_ term: Term) -> Condition {
    Condition(term.fragment.appending(" < ''"))
  }

  private static func collation(of kind: TermKind) throws(Untranslatable) -> String {
    guard kind.isOrdered else {
      throw Untranslatable("the order of a type of the model's own is known to Swift only")
    }
    return kind.encoding == .decimal ? " COLLATE OSD_DECIMAL" : ""
  }

  /// Strings are compared by Swift's own `<`, not by a collation: `<` is not a total order in every
  /// version (6.3 finds `"e\u{301}"` neither less than, nor equal to, nor greater than `"éa"`).
  private static func texts(
    _ left: SQLFragment, _ op: PredicateExpressions.ComparisonOperator, _ right: SQLFragment
  ) -> Condition {
    let isMirrored = op == .greaterThan || op == .lessThanOrEqual
    let first = isMirrored ? right : left
    let second = isMirrored ? left : right
    let less = Condition(first.enclosed("osd_less(", ", ").appending("", second, ")"))
    return includesEqual(op) ? less.negated() : less
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
