import Foundation

extension PredicateExpressions.Arithmetic: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<LHS.Output> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    let node = PredicateExpressions.Arithmetic(lhs: left, rhs: right, op: op)
    let operation: IntegerOperation
    switch op {
    case .add: operation = .add
    case .subtract: operation = .subtract
    case .multiply: operation = .multiply
    @unknown default: return Checked(node, over: left.isGuarded, right.isGuarded)
    }
    return Checked(node, operation, left, right)
  }
}

extension PredicateExpressions.IntDivision: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<LHS.Output> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.IntDivision(lhs: left, rhs: right), .divide, left, right)
  }
}

extension PredicateExpressions.IntRemainder: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<LHS.Output> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.IntRemainder(lhs: left, rhs: right), .remainder, left, right)
  }
}

extension PredicateExpressions.FloatDivision: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [LHS.self, RHS.self] }

  func checked() -> Checked<LHS.Output> {
    let (left, right) = (lhs.checkedNode(), rhs.checkedNode())
    return Checked(
      PredicateExpressions.FloatDivision(lhs: left, rhs: right), over: left.isGuarded,
      right.isGuarded)
  }
}

extension PredicateExpressions.UnaryMinus: CheckedExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self] }

  func checked() -> Checked<Wrapped.Output> {
    let part = wrapped.checkedNode()
    let zero = Checked(isGuarded: false) { _ in 0 as Wrapped.Output }
    return Checked(PredicateExpressions.UnaryMinus(part), .subtract, zero, part)
  }
}

extension Checked {
  /// Uses `operation` for integers and `node` for other numbers.
  fileprivate init(
    _ node: some PredicateExpression<Output>, _ operation: IntegerOperation,
    _ left: Checked<Output>, _ right: Checked<Output>
  ) {
    guard Output.self is any FixedWidthInteger.Type else {
      self.init(node, over: left.isGuarded, right.isGuarded)
      return
    }
    self.init(isGuarded: true) { bindings in
      try operation.checked(try left.evaluate(bindings), try right.evaluate(bindings))
    }
  }
}
