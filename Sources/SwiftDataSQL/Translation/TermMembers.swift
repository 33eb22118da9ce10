import Foundation
import SwiftDataCore

/// Properties of stored values that SQL can compute.
enum TermMembers {
  static func member(
    _ keyPath: AnyKeyPath, of term: Term, as type: any Any.Type
  ) throws(Untranslatable) -> Term {
    if term.kind.isEnumeration || term.kind.isRawValue {
      if let raw = rawValue(keyPath, of: term, as: type) { return raw }
      throw Untranslatable("properties of the model's own types are known to Swift only")
    }
    switch term.kind.encoding {
    case .text:
      if keyPath == \String.isEmpty { return truth(term.fragment.appending(" = ''")) }
      if keyPath == \String.count { return number(call("osd_character_count", term)) }
    case .data:
      if keyPath == \Data.isEmpty { return truth(term.fragment.appending(" = x''")) }
      if keyPath == \Data.count { return number(call("length", term)) }
    case .date:
      if keyPath == \Date.timeIntervalSinceReferenceDate {
        return Term(term.fragment, .real, isOptional: term.isOptional, isColumn: term.isColumn)
      }
      if keyPath == \Date.timeIntervalSince1970 {
        let interval = Date.timeIntervalBetween1970AndReferenceDate
        return try Arithmetic.real(term, "+", .init(SQLFragment(binding: .real(interval)), .real))
      }
    default: break
    }
    throw Untranslatable("a property of a stored value is known to Swift only")
  }

  static func listCount(of term: Term) -> Term { number(call("json_array_length", term)) }

  static func listIsEmpty(_ term: Term) -> Term {
    truth(call("json_array_length", term).appending(" = 0"))
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

  private static func call(_ function: String, _ term: Term) -> SQLFragment {
    term.fragment.enclosed(function + "(", ")")
  }

  private static func truth(_ fragment: SQLFragment) -> Term {
    Term(fragment.enclosed("(", ")"), .boolean)
  }

  private static func number(_ fragment: SQLFragment) -> Term { Term(fragment, .integer) }
}
