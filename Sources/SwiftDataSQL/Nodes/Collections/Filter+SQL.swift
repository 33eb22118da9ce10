import SwiftDataCore

extension Translation {
  /// - Parameter type: The type of the list.
  mutating func filter(
    _ sequence: PredicateNode, _ key: VariableID, _ test: PredicateNode, _ type: any Any.Type
  ) throws(Untranslatable) -> Operand {
    guard var rows = try rows(try operand(sequence), type) else {
      throw Untranslatable("only many models and stored lists are filtered in SQL")
    }
    rows.filters.append(
      try binding(key, to: rows.element) {
        (inner) throws(Untranslatable) in try inner.exactCondition(test)
      })
    return .elements(rows)
  }

  mutating func sequenceContainsWhere(
    _ sequence: PredicateNode, _ key: VariableID, _ test: PredicateNode, _ type: any Any.Type
  ) throws(Untranslatable) -> Operand {
    let none = Condition(false, in: dialect)
    return .condition(
      try quantified(sequence, type, key, test, start: none) {
        (rows, condition) throws(Untranslatable) in
        try rows.exist(where: condition)
      } unrolled: {
        $0.or($1)
      })
  }

  mutating func sequenceAllSatisfy(
    _ sequence: PredicateNode, _ key: VariableID, _ test: PredicateNode, _ type: any Any.Type
  ) throws(Untranslatable) -> Operand {
    let all = Condition(true, in: dialect)
    return .condition(
      try quantified(sequence, type, key, test, start: all) {
        (rows, condition) throws(Untranslatable) in
        try rows.exist(where: condition.negated()).negated()
      } unrolled: {
        $0.and($1)
      })
  }

  /// The maximum number of captured values that are translated one by one; more make inefficient
  /// SQL.
  private static let maximumUnrolled = 64

  /// A test of elements: of rows in a subquery, of captured values one after the other.
  ///
  /// Both "some element" and "all elements" are monotonic in the test, so an approximation of the
  /// test approximates the whole condition in the same direction.
  private mutating func quantified(
    _ sequence: PredicateNode, _ type: any Any.Type, _ key: VariableID, _ test: PredicateNode,
    start: Condition,
    rows makeRows: (ElementRows, Condition) throws(Untranslatable) -> Condition,
    unrolled join: (consuming Condition, consuming Condition) -> Condition
  ) throws(Untranslatable) -> Condition {
    let list = try operand(sequence)
    if let rows = try rows(list, type) {
      let condition = try binding(key, to: rows.element) {
        (inner) throws(Untranslatable) in try inner.condition(test)
      }
      return try makeRows(rows, condition)
    }
    guard case .constant(let captured) = list, let values = captured as? any Sequence else {
      throw Untranslatable("only many models and lists of values are tested one by one")
    }
    return try unroll(values, key, test, join, start)
  }

  /// The rows of a list that is not a constant; nil for a constant.
  mutating func rows(
    _ list: Operand, _ type: any Any.Type
  ) throws(Untranslatable) -> ElementRows? {
    switch list {
    case .elements(let rows): return rows
    case .term(let term):
      guard let type = type as? any StoredList.Type else {
        throw Untranslatable("only lists are taken apart in SQL")
      }
      return try StoredLists.elements(of: term, type, in: &self)
    default: return nil
    }
  }

  private mutating func unroll(
    _ values: some Sequence, _ key: VariableID, _ test: PredicateNode,
    _ join: (consuming Condition, consuming Condition) -> Condition, _ start: Condition
  ) throws(Untranslatable) -> Condition {
    var result = start
    var count = 0
    for value in values {
      count += 1
      if count > Self.maximumUnrolled { throw Untranslatable("a captured list is long") }
      let condition = try binding(key, to: .constant(value)) {
        (inner) throws(Untranslatable) in try inner.condition(test)
      }
      result = join(result, condition)
    }
    return result
  }
}
