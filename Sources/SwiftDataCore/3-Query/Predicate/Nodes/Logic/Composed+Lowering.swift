import Foundation

extension PredicateExpressions._Composed: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Condition.self] }

  func checked() -> Checked<Bool> {
    let part = condition.checkedNode()
    return Checked(isGuarded: part.isGuarded) { try part.evaluate(try self.bound($0)) }
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    var variables: [PredicateNode.Replacement] = []
    for (parameter, argument) in repeat (each parameter, each argument) {
      variables.append(.init(parameter: parameter.key, argument: argument.key))
    }
    return .composed(lowering.node(condition), variables)
  }
}
