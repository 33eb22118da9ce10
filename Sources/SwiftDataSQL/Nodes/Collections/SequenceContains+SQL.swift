import Foundation

extension PredicateExpressions.SequenceContains: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    if RHS.Output.self == Character.self { throw Untranslatable("characters are not SQL values") }
    if TypeInspection.isNestedOptional(RHS.Output.self) {
      throw Untranslatable("\(RHS.Output.self) has two kinds of nil")
    }
    let captured: Any
    switch try translation.operand(sequence) {
    case .constant(let values): captured = values
    case .elements(let rows): return .condition(try translation.contains(rows, element))
    case .term(let list):
      guard let type = LHS.Output.self as? any StoredList.Type else {
        throw Untranslatable("only lists are searched in SQL")
      }
      return .condition(
        try StoredLists.contains(
          list, of: type, try translation.operand(element), in: translation.dialect))
    default: throw Untranslatable("only lists are searched in SQL")
    }
    switch try translation.operand(element) {
    case .term(let term):
      return .condition(try Membership.condition(term, in: captured, translation))
    case .constant(let value):
      guard let sequence = captured as? LHS.Output, let value = value as? RHS.Output else {
        throw Untranslatable("two constants aren't of one type")
      }
      return .condition(Condition(sequence.contains(value), in: translation.dialect))
    default: throw Untranslatable("a list is searched for something that is no single value")
    }
  }
}

extension Translation {
  /// Whether `element` is among `rows`.
  fileprivate mutating func contains(
    _ rows: ElementRows, _ element: some PredicateExpression
  ) throws(Untranslatable) -> Condition {
    let other = try operand(element)
    switch (rows.element, other) {
    case (.model, .model), (.model, .constant):
      return try rows.exist(where: try Equality.condition(rows.element, other, in: self))
    default: throw Untranslatable("many models are searched for models only")
    }
  }
}
