import Foundation

extension PredicateExpressions.SequenceContains: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (list, value) = (sequence.checkedNode(), element.checkedNode())
    return Checked(
      PredicateExpressions.SequenceContains(sequence: list, element: value), over: list.isGuarded,
      value.isGuarded)
  }
}

extension PredicateExpressions.SequenceContainsWhere: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (list, test, variable) = (sequence.checkedNode(), test.checkedNode(), variable)
    return Checked(isGuarded: list.isGuarded || test.isGuarded) { bindings in
      try list.evaluate(bindings).contains {
        try test.evaluate(bindings.binding(variable, to: $0))
      }
    }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (list, test, variable) = (sequence.checkedNode(), test.checkedNode(), variable)
    return Checked(isGuarded: list.isGuarded || test.isGuarded) { bindings in
      try list.evaluate(bindings).allSatisfy {
        try test.evaluate(bindings.binding(variable, to: $0))
      }
    }
  }
}

extension PredicateExpressions.Filter: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<[LHS.Output.Element]> {
    let (list, test, variable) = (sequence.checkedNode(), filter.checkedNode(), variable)
    return Checked(isGuarded: list.isGuarded || test.isGuarded) { bindings in
      try list.evaluate(bindings).filter {
        try test.evaluate(bindings.binding(variable, to: $0))
      }
    }
  }
}

extension PredicateExpressions.SequenceMinimum: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Elements.self] }

  func checked() -> Checked<Elements.Output.Element?> {
    let list = elements.checkedNode()
    return Checked(PredicateExpressions.SequenceMinimum(elements: list), over: list.isGuarded)
  }
}

extension PredicateExpressions.SequenceMaximum: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Elements.self] }

  func checked() -> Checked<Elements.Output.Element?> {
    let list = elements.checkedNode()
    return Checked(PredicateExpressions.SequenceMaximum(elements: list), over: list.isGuarded)
  }
}

extension PredicateExpressions.SequenceStartsWith: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Base.self, Prefix.self] }

  func checked() -> Checked<Bool> {
    let (list, start) = (base.checkedNode(), prefix.checkedNode())
    return Checked(
      PredicateExpressions.SequenceStartsWith(base: list, prefix: start), over: list.isGuarded,
      start.isGuarded)
  }
}

extension PredicateExpressions.CollectionContainsCollection: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Base.self, Other.self] }

  func checked() -> Checked<Bool> {
    let (list, part) = (base.checkedNode(), other.checkedNode())
    return Checked(
      PredicateExpressions.CollectionContainsCollection(base: list, other: part),
      over: list.isGuarded, part.isGuarded)
  }
}

extension PredicateExpressions.StringContainsRegex: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Subject.self, Regex.self] }

  func checked() -> Checked<Bool> {
    let (text, pattern) = (subject.checkedNode(), regex.checkedNode())
    return Checked(
      PredicateExpressions.StringContainsRegex(subject: text, regex: pattern),
      over: text.isGuarded, pattern.isGuarded)
  }
}

extension PredicateExpressions._StringOperation: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Root.self, Other.self] }

  func checked() -> Checked<Operation.Output> {
    let (text, second) = (root.checkedNode(), other.checkedNode())
    return Checked(
      PredicateExpressions._StringOperation<_, _, Operation>(root: text, other: second),
      over: text.isGuarded, second.isGuarded)
  }
}
