import Foundation

extension PredicateExpressions.SequenceStartsWith: LowerableExpression {
  static var parts: [any PredicateExpression.Type] { [Base.self, Prefix.self] }

  func checked() -> Checked<Bool> {
    let (list, start) = (base.checkedNode(), prefix.checkedNode())
    return Checked(
      PredicateExpressions.SequenceStartsWith(base: list, prefix: start), over: list.isGuarded,
      start.isGuarded)
  }

  func lowered(by lowering: inout PredicateLowering) -> PredicateNode {
    .sequenceStartsWith(
      lowering.node(base), lowering.node(prefix),
      areTexts: Base.Output.self == String.self && Prefix.Output.self == String.self)
  }
}
