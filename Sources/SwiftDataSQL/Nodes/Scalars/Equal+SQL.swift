import SwiftDataCore

extension Translation {
  mutating func equal(
    _ lhs: PredicateNode, _ rhs: PredicateNode, _ type: any Equatable.Type
  ) throws(Untranslatable) -> Operand {
    .condition(try equality(lhs, rhs, type))
  }

  mutating func notEqual(
    _ lhs: PredicateNode, _ rhs: PredicateNode, _ type: any Equatable.Type
  ) throws(Untranslatable) -> Operand {
    .condition(try equality(lhs, rhs, type).negated())
  }

  private mutating func equality(
    _ lhs: PredicateNode, _ rhs: PredicateNode, _ type: any Equatable.Type
  ) throws(Untranslatable) -> Condition {
    if TypeInspection.isNestedOptional(type) {
      throw Untranslatable("\(type) has two kinds of nil")
    }
    let outer = approximation
    approximation = .none
    defer { approximation = outer }
    let left = try operand(lhs)
    let right = try operand(rhs)
    if case .constant(let first) = left, case .constant(let second) = right {
      guard let areEqual = ConstantOperations.areEqual(first, second, as: type) else {
        throw Untranslatable("two constants aren't of one type")
      }
      return Condition(areEqual, in: dialect)
    }
    if case .term(let term) = left, let coalesced = term.coalesced,
      case .constant(let value) = right,
      let fallback = ConstantOperations.areEqual(coalesced.fallback, value, as: type)
    {
      let bare = try Equality.equal(coalesced.base, value, in: self)
      return coalesced.base.split(bare, whenNil: Condition(fallback, in: dialect))
    }
    return try Equality.condition(left, right, in: self)
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
