import Foundation

extension PredicateExpressions.Equal: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .condition(try translation.equality(lhs, rhs))
  }
}

extension PredicateExpressions.NotEqual: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    .condition(try translation.equality(lhs, rhs).negated())
  }
}

extension Translation {
  mutating func equality<LHS: PredicateExpression, RHS: PredicateExpression>(
    _ lhs: LHS, _ rhs: RHS
  ) throws(Untranslatable) -> Condition where LHS.Output == RHS.Output, LHS.Output: Equatable {
    if TypeInspection.isNestedOptional(LHS.Output.self) {
      throw Untranslatable("\(LHS.Output.self) has two kinds of nil")
    }
    let outer = approximation
    approximation = .none
    defer { approximation = outer }
    let left = try operand(lhs)
    let right = try operand(rhs)
    if case .constant(let first) = left, case .constant(let second) = right {
      return try fold(first, second) { (a: LHS.Output, b: LHS.Output) in a == b }
    }
    if case .term(let term) = left, let coalesced = term.coalesced,
      case .constant(let value) = right,
      let fallback = foldable(
        coalesced.fallback, value, { (a: LHS.Output, b: LHS.Output) in a == b })
    {
      let bare = try Equality.equal(coalesced.base, value, in: self)
      return coalesced.base.split(bare, whenNil: fallback)
    }
    return try Equality.condition(left, right, in: self)
  }

  /// The result of a test of two constants.
  func fold<Output>(
    _ first: Any, _ second: Any, _ test: (Output, Output) -> Bool
  ) throws(Untranslatable) -> Condition {
    guard let condition = foldable(first, second, test) else {
      throw Untranslatable("two constants aren't of one type")
    }
    return condition
  }

  /// The result of a test of two constants; nil when they aren't of the type that is tested.
  func foldable<Output>(
    _ first: Any, _ second: Any, _ test: (Output, Output) -> Bool
  ) -> Condition? {
    guard let first = first as? Output, let second = second as? Output else { return nil }
    return Condition(test(first, second), in: dialect)
  }
}

extension Term {
  /// `condition` where the value isn't nil, `whenNil` where it is.
  func split(_ condition: Condition, whenNil: Condition) -> Condition {
    guard isOptional else { return condition }
    var isNil = Condition(fragment.appending(" IS NULL"), in: condition.dialect)
    isNil.opposite = fragment.appending(" IS NOT NULL")
    if whenNil.constant == true { return isNil.or(condition) }
    var result = isNil.negated().and(condition)
    result.nonNilWhenTrue.append(fragment.sql)
    return result
  }
}
