import Foundation

/// Substrings and prefixes of strings, matched character by character as in Swift.
///
/// The dialect's search decides. When the substring is ASCII, a byte test that the database or an index can answer
/// precedes it.
enum StringSearch {
  static func contains(
    _ text: Operand, _ part: Operand, in translation: inout Translation
  ) throws(Untranslatable) -> Condition {
    let base = try text.term(as: .text)
    let other = try part.term(as: .text)
    let decides = try search(.contains, base, other, in: &translation)
    guard case .constant(let value) = part, let string = value as? String, !string.isEmpty,
      TextConstant.hasUniqueEncoding(string)
    else { return decides }
    let dialect = translation.dialect
    let bytes = Condition(dialect.occurs(other.fragment, in: base.fragment), in: dialect)
    return bytes.and(decides)
  }

  static func starts(
    _ text: Operand, with prefix: Operand, in translation: inout Translation
  ) throws(Untranslatable) -> Condition {
    let base = try text.term(as: .text)
    let other = try prefix.term(as: .text)
    let decides = try search(.startsWith, base, other, in: &translation)
    guard case .constant(let value) = prefix, let string = value as? String, case .term = text,
      let range = StringRange.beginning(
        with: TextConstant.commonBytes(of: string), base.fragment, in: translation.dialect)
    else { return decides }
    return range.and(decides)
  }

  static func localizedContains(
    _ text: Operand, _ part: Operand, in translation: inout Translation
  ) throws(Untranslatable) -> Condition {
    try search(
      .localizedContains, try text.term(as: .text), try part.term(as: .text), in: &translation)
  }

  static func comparison(
    _ comparison: TextComparison, _ text: Operand, _ other: Operand, in dialect: any SQLDialect
  ) throws(Untranslatable) -> Term {
    let first = try text.term(as: .text)
    let second = try other.term(as: .text)
    return Term(
      try dialect.comparisonResult(comparison, first.fragment, second.fragment), .integer)
  }

  /// The dialect's search. A superset is a part that is left out where that is allowed.
  private static func search(
    _ search: TextSearch, _ text: Term, _ part: Term, in translation: inout Translation
  ) throws(Untranslatable) -> Condition {
    let dialect = translation.dialect
    switch try dialect.search(search, of: part.fragment, in: text.fragment) {
    case .exact(let condition): return Condition(condition, in: dialect)
    case .superset(let condition, let reason):
      guard translation.approximation == .superset else { throw Untranslatable(reason) }
      translation.reasons.append(reason)
      return Condition(condition, in: dialect)
    }
  }
}
