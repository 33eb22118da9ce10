import Foundation

/// Substrings and prefixes of strings, matched character by character as in Swift.
///
/// The Swift functions behind `osd_contains` and `osd_starts_with` decide. When the substring is
/// ASCII, a byte test that SQLite or an index can answer precedes them.
enum StringSearch {
  static func contains(_ text: Operand, _ part: Operand) throws(Untranslatable) -> Condition {
    let base = try text.term(as: .text)
    let other = try part.term(as: .text)
    let decides = call("osd_contains", base, other)
    guard case .constant(let value) = part, let string = value as? String, !string.isEmpty,
      TextConstant.hasUniqueEncoding(string)
    else { return decides }
    let bytes = Condition(
      base.fragment.enclosed("instr(", ", ").appending("", other.fragment, ") > 0"))
    return bytes.and(decides)
  }

  static func starts(_ text: Operand, with prefix: Operand) throws(Untranslatable) -> Condition {
    let base = try text.term(as: .text)
    let other = try prefix.term(as: .text)
    let decides = call("osd_starts_with", base, other)
    guard case .constant(let value) = prefix, let string = value as? String, case .term = text,
      let range = StringRange.beginning(with: TextConstant.commonBytes(of: string), base.fragment)
    else { return decides }
    return range.and(decides)
  }

  static func localizedContains(_ text: Operand, _ part: Operand) throws(Untranslatable)
    -> Condition
  {
    call("osd_localized_contains", try text.term(as: .text), try part.term(as: .text))
  }

  static func comparison(
    _ function: String, _ text: Operand, _ other: Operand
  ) throws(Untranslatable) -> Term {
    let condition = call(function, try text.term(as: .text), try other.term(as: .text))
    return Term(condition.fragment, .integer)
  }

  private static func call(_ function: String, _ text: Term, _ other: Term) -> Condition {
    Condition(
      text.fragment.enclosed(function + "(", ", ").appending("", other.fragment, ")"))
  }
}
