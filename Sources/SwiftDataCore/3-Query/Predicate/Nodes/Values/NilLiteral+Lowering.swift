import Foundation

extension PredicateExpressions.NilLiteral: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [] }

  func checked() -> Checked<Wrapped?> { Checked(self, over: false) }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode { .value(Output.none as Any) }
}
