import Foundation

extension PredicateExpressions.Conjunction: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.Conjunction(lhs: left, rhs: right), over: left.isGuarded,
      right.isGuarded)
  }
}

extension PredicateExpressions.Disjunction: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.Disjunction(lhs: left, rhs: right), over: left.isGuarded,
      right.isGuarded)
  }
}

extension PredicateExpressions.Negation: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self] }

  func checked() -> Checked<Bool> {
    let part = wrapped.checkedNode()
    return Checked(PredicateExpressions.Negation(part), over: part.isGuarded)
  }
}

extension PredicateExpressions.Equal: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.Equal(lhs: left, rhs: right), over: left.isGuarded, right.isGuarded)
  }
}

extension PredicateExpressions.NotEqual: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.NotEqual(lhs: left, rhs: right), over: left.isGuarded, right.isGuarded)
  }
}

extension PredicateExpressions.Comparison: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Bool> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.Comparison(lhs: left, rhs: right, op: op), over: left.isGuarded,
      right.isGuarded)
  }
}

extension PredicateExpressions.Conditional: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Test.self, If.self, Else.self] }

  func checked() -> Checked<If.Output> {
    let (test, yes, no) = (test.checkedNode(), trueBranch.checkedNode(), falseBranch.checkedNode())
    return Checked(
      PredicateExpressions.Conditional(test: test, trueBranch: yes, falseBranch: no),
      over: test.isGuarded, yes.isGuarded, no.isGuarded)
  }
}

// MARK: - Optionals

extension PredicateExpressions.NilCoalesce: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<RHS.Output> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.NilCoalesce(lhs: left, rhs: right), over: left.isGuarded,
      right.isGuarded)
  }
}

extension PredicateExpressions.ForcedUnwrap: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Inner.self] }

  func checked() -> Checked<Wrapped> {
    let part = inner.checkedNode()
    return Checked(PredicateExpressions.ForcedUnwrap(part), over: part.isGuarded)
  }
}

extension PredicateExpressions.OptionalFlatMap: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<Result?> {
    let (part, transform, variable) = (wrapped.checkedNode(), transform.checkedNode(), variable)
    return Checked(isGuarded: part.isGuarded || transform.isGuarded) { bindings in
      guard let value = try part.evaluate(bindings) else { return nil }
      // The closure returns a result or an optional result.
      return try transform.evaluate(bindings.binding(variable, to: value)) as? Result
    }
  }
}

// MARK: - Members and types

extension PredicateExpressions.KeyPath: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Root.self] }

  func checked() -> Checked<Output> {
    let part = root.checkedNode()
    return Checked(
      PredicateExpressions.KeyPath(root: part, keyPath: keyPath), over: part.isGuarded)
  }
}

extension PredicateExpressions.ConditionalCast: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Input.self] }

  func checked() -> Checked<Desired?> {
    let part = input.checkedNode()
    return Checked(
      PredicateExpressions.ConditionalCast<Checked<Input.Output>, Desired>(part),
      over: part.isGuarded)
  }
}

extension PredicateExpressions.ForceCast: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Input.self] }

  func checked() -> Checked<Desired> {
    let part = input.checkedNode()
    return Checked(
      PredicateExpressions.ForceCast<Checked<Input.Output>, Desired>(part), over: part.isGuarded)
  }
}

extension PredicateExpressions.TypeCheck: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Input.self] }

  func checked() -> Checked<Bool> {
    let part = input.checkedNode()
    return Checked(
      PredicateExpressions.TypeCheck<Checked<Input.Output>, Desired>(part), over: part.isGuarded)
  }
}
