import Foundation
import SwiftDataCore

/// Properties of stored values that SQL can compute.
enum TermMembers {
  static func member(
    _ keyPath: AnyKeyPath, of term: Term, as type: any Any.Type, in dialect: any SQLDialect
  ) throws(Untranslatable) -> Term {
    if term.kind.isEnumeration || term.kind.isRawValue {
      if let raw = rawValue(keyPath, of: term, as: type) { return raw }
      throw Untranslatable("properties of the model's own types are known to Swift only")
    }
    switch term.kind.encoding {
    case .text:
      if keyPath == \String.isEmpty { return truth(term.fragment.appending(" = ''")) }
      if keyPath == \String.count { return number(try dialect.characterCount(of: term.fragment)) }
    case .data:
      if keyPath == \Data.isEmpty { return truth(dialect.hasNoBytes(term.fragment)) }
      if keyPath == \Data.count { return number(dialect.byteCount(of: term.fragment)) }
    case .date:
      if keyPath == \Date.timeIntervalSinceReferenceDate {
        return Term(term.fragment, .real, isOptional: term.isOptional, isColumn: term.isColumn)
      }
      if keyPath == \Date.timeIntervalSince1970 {
        let interval = Date.timeIntervalBetween1970AndReferenceDate
        return try Arithmetic.real(
          term, .add, .init(SQLFragment(binding: .real(interval)), .real), in: dialect)
      }
    default: break
    }
    throw Untranslatable("a property of a stored value is known to Swift only")
  }

  static func listCount(of term: Term, in dialect: any SQLDialect) -> Term {
    number(dialect.elementCount(of: term.fragment))
  }

  static func listIsEmpty(_ term: Term, in dialect: any SQLDialect) -> Term {
    truth(dialect.elementCount(of: term.fragment).appending(" = 0"))
  }

  /// The raw value, which is the stored value of the column.
  private static func rawValue(
    _ keyPath: AnyKeyPath, of term: Term, as type: any Any.Type
  ) -> Term? {
    guard let kind = TermKind(ofConstants: type), kind.encoding == term.kind.encoding,
      RawValuePath.isRawValue(keyPath)
    else { return nil }
    return Term(term.fragment, kind, isOptional: term.isOptional, isColumn: term.isColumn)
  }

  private static func truth(_ fragment: SQLFragment) -> Term {
    Term(fragment.enclosed("(", ")"), .boolean)
  }

  private static func number(_ fragment: SQLFragment) -> Term { Term(fragment, .integer) }
}
