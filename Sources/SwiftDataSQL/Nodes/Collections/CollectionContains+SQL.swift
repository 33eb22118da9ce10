import Foundation

extension PredicateExpressions.CollectionContainsCollection: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    guard Base.Output.self == String.self, Other.Output.self == String.self else {
      throw Untranslatable("only strings are searched for parts in SQL")
    }
    let text = try translation.operand(base)
    let part = try translation.operand(other)
    return .condition(try StringSearch.contains(text, part, in: &translation))
  }
}
