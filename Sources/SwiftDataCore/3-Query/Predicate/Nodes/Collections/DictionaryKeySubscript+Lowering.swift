import Foundation

extension PredicateExpressions.DictionaryKeySubscript: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self, Key.self] }

  func checked() -> Checked<Value?> {
    let (values, key) = (wrapped.checkedNode(), key.checkedNode())
    return Checked(
      PredicateExpressions.DictionaryKeySubscript(wrapped: values, key: key),
      over: values.isGuarded, key.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .inMemory(
      .dictionaryKeySubscript, [lowering.node(wrapped), lowering.node(key)])
  }
}
