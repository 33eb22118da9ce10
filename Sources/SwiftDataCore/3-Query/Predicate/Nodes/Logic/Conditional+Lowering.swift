import Foundation

extension PredicateExpressions.Conditional: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Test.self, If.self, Else.self] }

  func checked() -> Checked<If.Output> {
    let (test, yes, no) = (test.checkedNode(), trueBranch.checkedNode(), falseBranch.checkedNode())
    return Checked(
      PredicateExpressions.Conditional(test: test, trueBranch: yes, falseBranch: no),
      over: test.isGuarded, yes.isGuarded, no.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .conditional(
      lowering.node(test), lowering.node(trueBranch), lowering.node(falseBranch),
      of: If.Output.self)
  }
}
