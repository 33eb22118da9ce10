import Foundation

extension PredicateExpressions.Variable: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [] }

  func checked() -> Checked<Output> { Checked(self, over: false) }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode { .variable(key) }
}
