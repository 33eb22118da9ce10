import Foundation
import SwiftDataCore

extension PredicateExpressions.StringLocalizedStandardContains: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let text = try translation.operand(root)
    let part = try translation.operand(other)
    return .condition(try StringSearch.localizedContains(text, part))
  }
}

extension PredicateExpressions.StringLocalizedCompare: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let text = try translation.operand(root)
    let second = try translation.operand(other)
    return .term(try StringSearch.comparison("osd_localized_compare", text, second))
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: SQLExpression {
  func operand(in translation: inout Translation) throws(Untranslatable) -> Operand {
    let text = try translation.operand(root)
    let second = try translation.operand(other)
    return .term(try StringSearch.comparison("osd_case_insensitive_compare", text, second))
  }
}
