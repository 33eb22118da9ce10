import Foundation
import SwiftDataCore

/// `<`, `<=`, `>` and `>=` with Swift's meaning: false with a NaN, strings in the order of their
/// scalars.
enum Ordering {
  static func condition(
    _ lhs: Operand, _ op: PredicateExpressions.ComparisonOperator, _ rhs: Operand,
    in dialect: any SQLDialect
  ) throws(Untranslatable) -> Condition {
    switch (lhs, rhs) {
    case (.term(let term), .constant(let value)): return try compare(term, op, value, in: dialect)
    case (.constant(let value), .term(let term)):
      return try compare(term, mirrored(op), value, in: dialect)
    case (.term(let left), .term(let right)): return try compare(left, op, right, in: dialect)
    default: throw Untranslatable("the operands of a comparison have no order in SQL")
    }
  }

  private static func compare(
    _ term: Term, _ op: PredicateExpressions.ComparisonOperator, _ constant: Any,
    in dialect: any SQLDialect
  ) throws(Untranslatable) -> Condition {
    let collation = try collation(of: term.kind)
    let value = try ConstantEncoding.encode(constant, as: term.kind)
    if value == .null { throw Untranslatable("nil has no order") }
    if term.kind.hasNaN, case .text = value {
      return Condition(term.kind.encoding == .date && includesEqual(op), in: dialect)
    }
    let parameter = SQLFragment(binding: value)
    if term.kind.encoding == .text {
      return try texts(term.fragment, op, parameter, in: dialect)
    }
    let condition = Condition(
      dialect.compare(term.fragment, comparison(op), parameter, by: collation), in: dialect)
    switch term.kind.encoding {
    case .date: return date(term, op, condition)
    // NaN sorts after all numbers.
    case .real: return isGreater(op) ? condition.and(isNumber(term, in: dialect)) : condition
    default: return condition
    }
  }

  private static func compare(
    _ left: Term, _ op: PredicateExpressions.ComparisonOperator, _ right: Term,
    in dialect: any SQLDialect
  ) throws(Untranslatable) -> Condition {
    let collation = try collation(of: left.kind)
    try right.checkEncoding(left.kind.encoding)
    if left.kind.encoding == .text {
      return try texts(left.fragment, op, right.fragment, in: dialect)
    }
    let condition = Condition(
      dialect.compare(left.fragment, comparison(op), right.fragment, by: collation), in: dialect)
    switch left.kind.encoding {
    case .date where includesEqual(op):
      let opposite =
        op == .lessThanOrEqual
        ? PredicateExpressions.ComparisonOperator.greaterThan : .lessThan
      return try compare(left, opposite, right, in: dialect).negated()
    // A value less than a number is a number too.
    case .real, .date: return condition.and(isNumber(isGreater(op) ? left : right, in: dialect))
    default: return condition
    }
  }

  /// `Date` has no `<=` of its own, so Swift evaluates `!(rhs < lhs)`, which is true for a date
  /// that is NaN.
  private static func date(
    _ term: Term, _ op: PredicateExpressions.ComparisonOperator, _ condition: Condition
  ) -> Condition {
    switch op {
    case .greaterThan: return condition.and(isNumber(term, in: condition.dialect))
    case .lessThanOrEqual:
      let isNaN = condition.dialect.isNaN(term.fragment)
      return condition.or(Condition(isNaN, in: condition.dialect))
    default: return condition
    }
  }

  private static func includesEqual(_ op: PredicateExpressions.ComparisonOperator) -> Bool {
    op == .lessThanOrEqual || op == .greaterThanOrEqual
  }

  private static func isNumber(_ term: Term, in dialect: any SQLDialect) -> Condition {
    Condition(dialect.isNumber(term.fragment), in: dialect)
  }

  private static func collation(of kind: TermKind) throws(Untranslatable) -> SQLCollation {
    guard kind.isOrdered else {
      throw Untranslatable("the order of a type of the model's own is known to Swift only")
    }
    return kind.collation
  }

  /// Strings are compared by Swift's own `<`, not by a collation: `<` is not a total order in every
  /// version (6.3 finds `"e\u{301}"` neither less than, nor equal to, nor greater than `"éa"`).
  private static func texts(
    _ left: SQLFragment, _ op: PredicateExpressions.ComparisonOperator, _ right: SQLFragment,
    in dialect: any SQLDialect
  ) throws(Untranslatable) -> Condition {
    let isMirrored = op == .greaterThan || op == .lessThanOrEqual
    let first = isMirrored ? right : left
    let second = isMirrored ? left : right
    let less = Condition(try dialect.isLess(first, second), in: dialect)
    return includesEqual(op) ? less.negated() : less
  }

  private static func isGreater(_ op: PredicateExpressions.ComparisonOperator) -> Bool {
    op == .greaterThan || op == .greaterThanOrEqual
  }

  private static func comparison(
    _ op: PredicateExpressions.ComparisonOperator
  ) -> SQLComparison {
    switch op {
    case .lessThan: return .less
    case .lessThanOrEqual: return .lessOrEqual
    case .greaterThan: return .greater
    case .greaterThanOrEqual: return .greaterOrEqual
    @unknown default: return .less
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
