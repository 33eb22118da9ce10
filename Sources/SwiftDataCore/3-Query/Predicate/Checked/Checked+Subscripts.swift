import Foundation

// MARK: - Ranges

extension PredicateExpressions.Range: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Range<LHS.Output>> {
    let (lower, upper) = (lower.checkedNode(), upper.checkedNode())
    return Checked(isGuarded: true) { bindings in
      let (first, last) = (try lower.evaluate(bindings), try upper.evaluate(bindings))
      guard first <= last else { throw SwiftDataError.wrongBounds }
      return first..<last
    }
  }
}

extension PredicateExpressions.ClosedRange: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<ClosedRange<LHS.Output>> {
    let (lower, upper) = (lower.checkedNode(), upper.checkedNode())
    return Checked(isGuarded: true) { bindings in
      let (first, last) = (try lower.evaluate(bindings), try upper.evaluate(bindings))
      guard first <= last else { throw SwiftDataError.wrongBounds }
      return first...last
    }
  }
}

extension SwiftDataError {
  fileprivate static var wrongBounds: SwiftDataError {
    evaluationFailure("a range ends before it begins.")
  }
}

extension PredicateExpressions.RangeExpressionContains: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [RangeExpression.self, Element.self] }

  func checked() -> Checked<Bool> {
    let (range, value) = (range.checkedNode(), element.checkedNode())
    return Checked(
      PredicateExpressions.RangeExpressionContains(range: range, element: value),
      over: range.isGuarded, value.isGuarded)
  }
}

// MARK: - Subscripts

extension PredicateExpressions.CollectionIndexSubscript: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self, Index.self] }

  func checked() -> Checked<Wrapped.Output.Element> {
    let (list, position) = (wrapped.checkedNode(), index.checkedNode())
    return Checked(
      PredicateExpressions.CollectionIndexSubscript(wrapped: list, index: position),
      over: list.isGuarded, position.isGuarded)
  }
}

extension PredicateExpressions.CollectionRangeSubscript: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self, Range.self] }

  func checked() -> Checked<Wrapped.Output.SubSequence> {
    let (list, positions) = (wrapped.checkedNode(), range.checkedNode())
    return Checked(
      PredicateExpressions.CollectionRangeSubscript(wrapped: list, range: positions),
      over: list.isGuarded, positions.isGuarded)
  }
}

extension PredicateExpressions.DictionaryKeySubscript: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self, Key.self] }

  func checked() -> Checked<Value?> {
    let (values, key) = (wrapped.checkedNode(), key.checkedNode())
    return Checked(
      PredicateExpressions.DictionaryKeySubscript(wrapped: values, key: key),
      over: values.isGuarded, key.isGuarded)
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self, Key.self, Default.self] }

  func checked() -> Checked<Default.Output> {
    let (values, key, fallback) = (
      wrapped.checkedNode(), key.checkedNode(), self.default.checkedNode()
    )
    return Checked(
      PredicateExpressions.DictionaryKeyDefaultValueSubscript(
        wrapped: values, key: key, default: fallback),
      over: values.isGuarded, key.isGuarded, fallback.isGuarded)
  }
}
