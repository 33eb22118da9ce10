import Foundation

extension PredicateExpressions.SequenceContains: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    if RHS.Output.self == Character.self { throw Untranslatable("characters are not SQL values") }
    if TypeInspection.isNestedOptional(RHS.Output.self) {
      throw Untranslatable("\(RHS.Output.self) has two kinds of nil")
    }
    let values = try translation.operand(sequence)
    guard case .constant(let captured) = values else {
      throw Untranslatable("stored lists are kept as JSON, which is not searched in SQL")
    }
    switch try translation.operand(element) {
    case .term(let term):
      return .condition(try Membership.condition(term, in: captured, translation))
    case .constant(let value):
      guard let sequence = captured as? LHS.Output, let value = value as? RHS.Output else {
        throw Untranslatable("two constants aren't of one type")
      }
      return .condition(Condition(sequence.contains(value)))
    default: throw Untranslatable("a list is searched for something that is no single value")
    }
  }
}
