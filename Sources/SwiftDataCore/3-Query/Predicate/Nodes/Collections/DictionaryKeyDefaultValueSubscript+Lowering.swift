import Foundation

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Wrapped.self, Key.self, Default.self] }

  func checked() -> Checked<Default.Output> {
    let (values, key, fallback) = (
      wrapped.checkedNode(), key.checkedNode(), self.default.checkedNode()
    )
    return Checked(
      PredicateExpressions.DictionaryKeyDefaultValueSubscript(
        wrapped: values, key: key, default: fallback),
      over: values.isGuarded, key.isGuarded, fallback.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .inMemory(
      .dictionaryKeyDefaultValueSubscript,
      [lowering.node(wrapped), lowering.node(key), lowering.node(self.default)])
  }
}
