import Foundation

extension PredicateExpressions.SequenceMinimum: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    try translation.extreme("min", elements)
  }
}

extension PredicateExpressions.SequenceMaximum: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    try translation.extreme("max", elements)
  }
}

extension Translation {
  fileprivate mutating func extreme<Elements: PredicateExpression>(
    _ function: String, _ elements: Elements
  ) throws(Untranslatable) -> Operand {
    guard let rows = try rows(try operand(elements), Elements.Output.self) else {
      throw Untranslatable("the least and the greatest of captured values are known to Swift only")
    }
    return .term(try rows.extreme(function))
  }
}
