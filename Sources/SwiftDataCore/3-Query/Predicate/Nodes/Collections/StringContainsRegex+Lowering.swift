import Foundation

extension PredicateExpressions.StringContainsRegex: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Subject.self, Regex.self] }

  func checked() -> Checked<Bool> {
    let (text, pattern) = (subject.checkedNode(), regex.checkedNode())
    return Checked(
      PredicateExpressions.StringContainsRegex(subject: text, regex: pattern),
      over: text.isGuarded, pattern.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .inMemory(
      .stringContainsRegex, [lowering.node(subject), lowering.node(regex)])
  }
}
