import SwiftDataCore

extension Translation {
  mutating func sequenceContains(
    _ sequence: PredicateNode, _ element: PredicateNode, _ search: any ElementSearching.Type
  ) throws(Untranslatable) -> Operand {
    if search.element == Character.self { throw Untranslatable("characters are not SQL values") }
    if TypeInspection.isNestedOptional(search.element) {
      throw Untranslatable("\(search.element) has two kinds of nil")
    }
    let captured: Any
    switch try operand(sequence) {
    case .constant(let values): captured = values
    case .elements(let rows): return .condition(try contains(rows, element))
    case .term(let list):
      guard let type = search.sequence as? any StoredList.Type else {
        throw Untranslatable("only lists are searched in SQL")
      }
      return .condition(
        try StoredLists.contains(list, of: type, try operand(element), in: dialect))
    default: throw Untranslatable("only lists are searched in SQL")
    }
    switch try operand(element) {
    case .term(let term):
      return .condition(try Membership.condition(term, in: captured, self))
    case .constant(let value):
      guard let isContained = search.contains(value, in: captured) else {
        throw Untranslatable("two constants aren't of one type")
      }
      return .condition(Condition(isContained, in: dialect))
    default: throw Untranslatable("a list is searched for something that is no single value")
    }
  }

  /// Whether `element` is among `rows`.
  private mutating func contains(
    _ rows: ElementRows, _ element: PredicateNode
  ) throws(Untranslatable) -> Condition {
    let other = try operand(element)
    switch (rows.element, other) {
    case (.model, .model), (.model, .constant):
      return try rows.exist(where: try Equality.condition(rows.element, other, in: self))
    default: throw Untranslatable("many models are searched for models only")
    }
  }
}
