import Foundation
import SwiftDataCore

extension Translation {
  mutating func stringOperation(
    _ root: PredicateNode, _ other: PredicateNode,
    _ operation: any _StringPredicateOperation.Type
  ) throws(Untranslatable) -> Operand {
    let text = try operand(root)
    let second = try operand(other)
    switch operation {
    case is PredicateExpressions._LocalizedStandardContains.Type:
      return .condition(try StringSearch.localizedContains(text, second, in: &self))
    case is PredicateExpressions._LocalizedCompare.Type:
      return .term(try StringSearch.comparison(.localized, text, second, in: dialect))
    case is PredicateExpressions._CaseInsensitiveCompare.Type:
      return .term(try StringSearch.comparison(.caseInsensitive, text, second, in: dialect))
    default: throw Untranslatable("\(operation.name) has no counterpart in SQL")
    }
  }
}
