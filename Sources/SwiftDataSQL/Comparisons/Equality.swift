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
      return try equal(left, right, in: translation.dialect)
    case (.condition(let condition), .constant(let value)),
      (.constant(let value), .condition(let condition)):
      return try equal(condition, value)
    case (.condition(let condition), .term(let term)), (.term(let term), .condition(let condition)):
      return try equal(condition.term, term, in: translation.dialect)
    case (.condition(let left), .condition(let right)):
      return try equal(left.term, right.term, in: translation.dialect)
    case (.model(let model), .constant(let value)), (.constant(let value), .model(let model)):
      return try equal(model, value, in: translation)
    case (.model(let left), .model(let right)):
      let dialect = translation.dialect
      return Condition(
        dialect.compare(left.rowID, .same, right.rowID, by: .stored), in: dialect)
    case (.composite(let composite), .constant(let value)),
      (.constant(let value), .composite(let composite)):
      guard ConstantEncoding.unwrap(value) == nil,
        let presence = composite.model.names.presenceColumn(of: composite.property)
      else { throw Untranslatable("structures in columns are compared member by member only") }
      return isNil(composite.model.column(presence), in: translation.dialect)
    case (.elements(let rows), .constant(let value)), (.constant(let value), .elements(let rows)):
      guard ConstantEncoding.unwrap(value) == nil else {
        throw Untranslatable("lists are compared in memory only")
      }
      guard let presence = rows.presence else {
        return Condition(false, in: translation.dialect)
      }
      return isNil(presence, in: translation.dialect)
    default:
      throw Untranslatable("the operands of == have no common form in SQL")
    }
  }

  /// Models are equal when they have the same row.
  private static func equal(
    _ model: ModelReference, _ constant: Any, in translation: Translation
  ) throws(Untranslatable) -> Condition {
    guard let value = ConstantEncoding.unwrap(constant) else {
      return isNil(model.rowID, in: translation.dialect)
    }
    guard let other = value as? any PersistentModel else {
      throw Untranslatable("a \(type(of: value)) is compared with a model")
    }
    return try Identity.equal(
      model.identity, other.persistentModelID, in: translation)
  }

  static func isNil(_ fragment: SQLFragment, in dialect: any SQLDialect) -> Condition {
    var condition = Condition(fragment.appending(" IS NULL"), in: dialect)
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
    let dialect = translation.dialect
    let value = try ConstantEncoding.encode(constant, as: term.kind)
    // Stored URLs are absolute, and URLs with different bases differ.
    if term.kind.encoding == .url, let url = ConstantEncoding.unwrap(constant) as? URL,
      url.baseURL != nil
    {
      return Condition(false, in: dialect)
    }
    if value == .null {
      return term.isOptional ? isNil(term.fragment, in: dialect) : Condition(false, in: dialect)
    }
    if term.kind.hasNaN, case .text = value { return Condition(false, in: dialect) }
    if term.kind.encoding == .decimal {
      return comparison(term, by: .decimal, value, in: dialect)
    }
    if case .text(let text) = value, term.kind.encoding == .text, !term.kind.isEnumeration,
      !TextConstant.hasUniqueEncoding(text)
    {
      return unequalBytes(term, text, in: dialect)
    }
    return comparison(term, by: .stored, value, in: dialect)
  }

  private static func comparison(
    _ term: Term, by collation: SQLCollation, _ value: SQLValue, in dialect: any SQLDialect
  ) -> Condition {
    var condition = condition(
      term.fragment, SQLFragment(binding: value), by: collation, isOptional: term.isOptional,
      in: dialect)
    if term.isOptional { condition.nonNilWhenTrue = [term.fragment.sql] }
    return condition
  }

  /// The equality of two values.
  ///
  /// - Parameter isOptional: Whether one of them may be NULL; two NULL are equal then.
  static func condition(
    _ left: SQLFragment, _ right: SQLFragment, by collation: SQLCollation, isOptional: Bool,
    in dialect: any SQLDialect
  ) -> Condition {
    var condition = Condition(
      dialect.compare(left, isOptional ? .same : .equal, right, by: collation), in: dialect)
    condition.opposite = dialect.compare(
      left, isOptional ? .different : .notEqual, right, by: collation)
    return condition
  }

  /// Equality with a string that is also equal to strings with other bytes. The bytes that all of
  /// them begin with form a range that an index can search.
  private static func unequalBytes(
    _ term: Term, _ text: String, in dialect: any SQLDialect
  ) -> Condition {
    let equal = comparison(term, by: .unicode, .text(text), in: dialect)
    guard term.isColumn, !term.isOptional,
      let range = StringRange.beginning(
        with: TextConstant.commonBytes(of: text), term.fragment, in: dialect)
    else { return equal }
    return range.and(equal)
  }

  /// `(presence AND condition) == value`.
  private static func equal(_ condition: Condition, _ value: Any) throws(Untranslatable)
    -> Condition
  {
    guard let value = ConstantEncoding.unwrap(value) else {
      guard let presence = condition.presence else {
        return Condition(false, in: condition.dialect)
      }
      return Condition(presence, form: .conjunction, in: condition.dialect).negated()
    }
    guard let truth = value as? Bool else {
      throw Untranslatable("a truth value is compared with something else")
    }
    var plain = condition
    plain.presence = nil
    if !truth { plain = plain.negated() }
    guard let presence = condition.presence else { return plain }
    return Condition(presence, form: .conjunction, in: condition.dialect).and(plain)
  }

  // MARK: - Between two columns

  static func equal(
    _ left: Term, _ right: Term, in dialect: any SQLDialect
  ) throws(Untranslatable) -> Condition {
    try right.checkEncoding(left.kind.encoding)
    let isOptional = left.isOptional || right.isOptional
    let collation: SQLCollation
    switch left.kind.encoding {
    case .json: throw Untranslatable("JSON is not compared in SQL")
    case .text where left.kind.isEnumeration: collation = .stored
    default: collation = left.kind.collation
    }
    let same = condition(
      left.fragment, right.fragment, by: collation, isOptional: isOptional, in: dialect)
    guard left.kind.hasNaN else { return same }
    let isNumber = dialect.isNumber(left.fragment)
    if !isOptional { return same.and(Condition(isNumber, in: dialect)) }
    // When both are nil, neither is NaN.
    return same.and(
      Condition(
        left.fragment.appending(" IS NULL OR ", isNumber), form: .disjunction, in: dialect))
  }
}
