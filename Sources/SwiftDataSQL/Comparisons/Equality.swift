import Foundation
import SwiftDataCore

/// `==` with Swift's meaning: nil equals nil, NaN equals nothing, canonically equivalent strings
/// are equal.
enum Equality {
  static func condition(
    _ lhs: Operand, _ rhs: Operand, in translation: Translation
  ) throws(Untranslatable) -> Condition {
    switch (lhs, rhs) {
    case (.term(let term), .constant(let value)), (.constant(let value), .term(let term)):
      return try equal(term, value, in: translation)
    case (.term(let left), .term(let right)):
      return try equal(left, right)
    case (.condition(let condition), .constant(let value)),
      (.constant(let value), .condition(let condition)):
      return try equal(condition, value)
    case (.condition(let condition), .term(let term)), (.term(let term), .condition(let condition)):
      return try equal(condition.term, term)
    case (.condition(let left), .condition(let right)):
      return try equal(left.term, right.term)
    case (.model(let model), .constant(let value)), (.constant(let value), .model(let model)):
      return try equal(model, value, in: translation)
    case (.model(let left), .model(let right)):
      return Condition(left.rowID.appending(" IS ", right.rowID))
    case (.composite(let composite), .constant(let value)),
      (.constant(let value), .composite(let composite)):
      guard ConstantEncoding.unwrap(value) == nil,
        let presence = composite.model.names.presenceColumn(of: composite.property)
      else { throw Untranslatable("structures in columns are compared member by member only") }
      return isNil(composite.model.column(presence))
    case (.elements(let rows), .constant(let value)), (.constant(let value), .elements(let rows)):
      guard ConstantEncoding.unwrap(value) == nil else {
        throw Untranslatable("lists are compared in memory only")
      }
      return rows.presence.map(isNil) ?? Condition(false)
    default:
      throw Untranslatable("the operands of == have no common form in SQL")
    }
  }

  /// Models are equal when they have the same row.
  private static func equal(
    _ model: ModelReference, _ constant: Any, in translation: Translation
  ) throws(Untranslatable) -> Condition {
    guard let value = ConstantEncoding.unwrap(constant) else { return isNil(model.rowID) }
    guard let other = value as? any PersistentModel else {
      throw Untranslatable("a \(type(of: value)) is compared with a model")
    }
    return try Identity.equal(
      model.identity, other.persistentModelID, in: translation)
  }

  static func isNil(_ fragment: SQLFragment) -> Condition {
    var condition = Condition(fragment.appending(" IS NULL"))
    condition.opposite = fragment.appending(" IS NOT NULL")
    condition.nonNilWhenFalse = [fragment.sql]
    return condition
  }

  // MARK: - With a constant

  static func equal(
    _ term: Term, _ constant: Any, in translation: Translation
  ) throws(Untranslatable) -> Condition {
    if term.kind.encoding == .reference {
      return try Identity.equal(term, constant, in: translation)
    }
    let value = try ConstantEncoding.encode(constant, as: term.kind)
    // Stored URLs are absolute, and URLs with different bases differ.
    if term.kind.encoding == .url, let url = ConstantEncoding.unwrap(constant) as? URL,
      url.baseURL != nil
    {
      return Condition(false)
    }
    if value == .null { return term.isOptional ? isNil(term.fragment) : Condition(false) }
    if term.kind.hasNaN, case .text = value { return Condition(false) }
    if term.kind.encoding == .decimal {
      return comparison(term, " COLLATE OSD_DECIMAL", value)
    }
    if case .text(let text) = value, term.kind.encoding == .text, !term.kind.isEnumeration,
      !TextConstant.hasUniqueEncoding(text)
    {
      return unequalBytes(term, text)
    }
    return comparison(term, "", value)
  }

  private static func comparison(_ term: Term, _ collation: String, _ value: SQLValue) -> Condition
  {
    let parameter = SQLFragment(binding: value)
    var condition = Condition(
      term.fragment.appending(collation + (term.isOptional ? " IS " : " = "), parameter))
    condition.opposite = term.fragment.appending(
      collation + (term.isOptional ? " IS NOT " : " <> "), parameter)
    if term.isOptional { condition.nonNilWhenTrue = [term.fragment.sql] }
    return condition
  }

  /// Equality with a string that is also equal to strings with other bytes. The bytes that all of
  /// them begin with form a range that an index can search.
  private static func unequalBytes(_ term: Term, _ text: String) -> Condition {
    let equal = comparison(term, " COLLATE OSD_UNICODE", .text(text))
    guard term.isColumn, !term.isOptional,
      let range = StringRange.beginning(with: TextConstant.commonBytes(of: text), term.fragment)
    else { return equal }
    return range.and(equal)
  }

  /// `(presence AND condition) == value`.
  private static func equal(_ condition: Condition, _ value: Any) throws(Untranslatable)
    -> Condition
  {
    guard let value = ConstantEncoding.unwrap(value) else {
      guard let presence = condition.presence else { return Condition(false) }
      return Condition(presence, form: .conjunction).negated()
    }
    guard let truth = value as? Bool else {
      throw Untranslatable("a truth value is compared with something else")
    }
    var plain = condition
    plain.presence = nil
    if !truth { plain = plain.negated() }
    guard let presence = condition.presence else { return plain }
    return Condition(presence, form: .conjunction).and(plain)
  }

  // MARK: - Between two columns

  static func equal(_ left: Term, _ right: Term) throws(Untranslatable) -> Condition {
    let isOptional = left.isOptional || right.isOptional
    switch left.kind.encoding {
    case .json: throw Untranslatable("JSON is not compared in SQL")
    case .text where !left.kind.isEnumeration:
      return pair(left, " COLLATE OSD_UNICODE", right, isOptional)
    case .decimal: return pair(left, " COLLATE OSD_DECIMAL", right, isOptional)
    default: break
    }
    let same = pair(left, "", right, isOptional)
    guard left.kind.hasNaN else { return same }
    if !isOptional { return same.and(Condition(left.fragment.appending(" < ''"))) }
    // When both are nil, neither is NaN.
    let isNumber = Condition(
      left.fragment.appending(" IS NULL OR ", left.fragment, " < ''"), form: .disjunction)
    return same.and(isNumber)
  }

  private static func pair(
    _ left: Term, _ collation: String, _ right: Term, _ isOptional: Bool
  ) -> Condition {
    var condition = Condition(
      left.fragment.appending(collation + (isOptional ? " IS " : " = "), right.fragment))
    condition.opposite = left.fragment.appending(
      collation + (isOptional ? " IS NOT " : " <> "), right.fragment)
    return condition
  }
}
