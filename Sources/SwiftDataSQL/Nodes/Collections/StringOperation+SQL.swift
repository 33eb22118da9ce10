import Foundation
import SwiftDataCore

extension PredicateExpressions._StringOperation: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let text = try translation.operand(root)
    let second = try translation.operand(other)
    switch Operation.self {
    case is PredicateExpressions._LocalizedStandardContains.Type:
      return .condition(try StringSearch.localizedContains(text, second))
    case is PredicateExpressions._LocalizedCompare.Type:
      return .term(try StringSearch.comparison("osd_localized_compare", text, second))
    case is PredicateExpressions._CaseInsensitiveCompare.Type:
      return .term(try StringSearch.comparison("osd_case_insensitive_compare", text, second))
    default: throw Untranslatable("\(Operation.name) has no counterpart in SQL")
    }
  }
}
