import Foundation
import SwiftDataCore

extension PredicateExpressions._StringOperation: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let text = try translation.operand(root)
    let second = try translation.operand(other)
    switch Operation.self {
    case is PredicateExpressions._LocalizedStandardContains.Type:
      return .condition(try StringSearch.localizedContains(text, second, in: &translation))
    case is PredicateExpressions._LocalizedCompare.Type:
      return .term(
        try StringSearch.comparison(.localized, text, second, in: translation.dialect))
    case is PredicateExpressions._CaseInsensitiveCompare.Type:
      return .term(
        try StringSearch.comparison(.caseInsensitive, text, second, in: translation.dialect))
    default: throw Untranslatable("\(Operation.name) has no counterpart in SQL")
    }
  }
}
