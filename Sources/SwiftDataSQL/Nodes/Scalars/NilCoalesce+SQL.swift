import SwiftDataCore

extension Translation {
  /// - Parameter type: The type of the optional value.
  mutating func nilCoalesce(
    _ lhs: PredicateNode, _ rhs: PredicateNode, _ type: any Any.Type
  ) throws(Untranslatable) -> Operand {
    if TypeInspection.isNestedOptional(type) {
      throw Untranslatable("\(type) has two kinds of nil")
    }
    let outer = approximation
    approximation = .none
    defer { approximation = outer }
    let left = try operand(lhs)
    let right = try operand(rhs)
    switch (left, right) {
    case (.constant(let value), _):
      if let unwrapped = ConstantEncoding.unwrap(value) { return .constant(unwrapped) }
      return right
    case (.condition(let condition), _):
      guard let presence = condition.presence else { return left }
      var plain = condition
      plain.presence = nil
      let isThere = Condition(presence, form: .conjunction, in: dialect)
      let fallback = try truth(right)
      if fallback.constant == true { return .condition(isThere.negated().or(plain)) }
      let whenNil = isThere.negated().and(fallback)
      return .condition(isThere.and(plain).or(whenNil))
    case (.term(let term), _):
      guard term.isOptional else { return left }
      let fallback = try right.term(as: term.kind)
      var result = Term(
        dialect.coalesce(term.fragment, fallback.fragment), term.kind,
        isOptional: fallback.isOptional)
      result.entity = term.entity
      if case .constant(let value) = right { result.coalesced = .init(base: term, fallback: value) }
      return .term(result)
    case (.elements(let rows), _) where rows.presence == nil: return left
    default: throw Untranslatable("only single values have an alternative to nil")
    }
  }

  private func truth(_ operand: Operand) throws(Untranslatable) -> Condition {
    switch operand {
    case .constant(let value as Bool): return Condition(value, in: dialect)
    case .condition(let condition): return condition
    case .term(let term): return try Condition(stored: term, in: dialect)
    default: throw Untranslatable("a truth value is expected")
    }
  }
}
