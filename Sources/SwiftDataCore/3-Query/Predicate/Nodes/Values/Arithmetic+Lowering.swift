import Foundation

extension PredicateExpressions.Arithmetic: LowerableExpression {
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

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    let operation: IntegerOperation
    switch op {
    case .add: operation = .add
    case .subtract: operation = .subtract
    case .multiply: operation = .multiply
    @unknown default: return .unknown(self)
    }
    return .arithmetic(
      lowering.node(lhs), operation, lowering.node(rhs), of: LHS.Output.self)
  }
}
