import Foundation

extension PredicateExpressions.SequenceStartsWith: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    guard Base.Output.self == String.self, Prefix.Output.self == String.self else {
      throw Untranslatable("only strings are searched for a beginning in SQL")
    }
    let text = try translation.operand(base)
    let beginning = try translation.operand(prefix)
    return .condition(try StringSearch.starts(text, with: beginning, in: &translation))
  }
}
