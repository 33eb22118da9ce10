import Foundation

extension PredicateExpressions.Value: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [] }

  func checked() -> Checked<Output> { Checked(self, over: false) }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode { .value(value) }
}
