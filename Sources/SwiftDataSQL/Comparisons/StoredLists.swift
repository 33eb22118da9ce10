import Foundation
import SwiftDataCore

/// Collections that are encoded in JSON as an array of their elements.
protocol StoredList {
  static var elementType: any Any.Type { get }
}

extension Array: StoredList {
  static var elementType: any Any.Type { Element.self }
}

extension Set: StoredList {
  static var elementType: any Any.Type { Element.self }
}

/// Lists stored as JSON text, for the operations where SQL is certain to give the same result as Swift.
enum StoredLists {
  static func contains(
    _ list: Term, of type: any StoredList.Type, _ element: Operand, in dialect: any SQLDialect
  ) throws(Untranslatable) -> Condition {
    guard list.kind.encoding == .json, !list.isOptional else {
      throw Untranslatable("only lists kept as JSON are searched in SQL")
    }
    if type.elementType == String.self {
      return try containsText(list, element, in: dialect)
    }
    if isInteger(type.elementType) {
      let value = try element.term(as: .integer)
      return Condition(
        try dialect.contains(list.fragment, integer: value.fragment), in: dialect)
    }
    if case .constant(let value) = element, let text = exactText(of: value) {
      return quoted(text, in: list, dialect)
    }
    throw Untranslatable("a list of \(type.elementType) is known to Swift only")
  }

  /// The elements as rows: integers only, because databases end a text in JSON at U+0000, or refuse
  /// it, and read reals through decimal digits.
  static func elements(
    of list: Term, _ type: any StoredList.Type, in translation: inout Translation
  ) throws(Untranslatable) -> ElementRows {
    guard list.kind.encoding == .json, isInteger(type.elementType) else {
      throw Untranslatable("elements of a list of \(type.elementType) are known to Swift only")
    }
    let alias = translation.nextAlias()
    let elements = try translation.dialect.elements(of: list.fragment, as: alias)
    return ElementRows(
      source: elements.source, link: nil, element: .term(Term(elements.value, .integer)),
      in: translation.dialect)
  }

  private static func isInteger(_ type: any Any.Type) -> Bool {
    [Int.self, Int64.self, Int32.self, Int16.self, Int8.self, UInt32.self, UInt16.self, UInt8.self]
      .contains { (known: any Any.Type) in known == type }
  }

  private static func containsText(
    _ list: Term, _ element: Operand, in dialect: any SQLDialect
  ) throws(Untranslatable) -> Condition {
    if case .constant(let value) = element, let text = value as? String, isPlain(text) {
      return quoted(text, in: list, dialect)
    }
    let text = try element.term(as: .text)
    return Condition(try dialect.contains(list.fragment, text: text.fragment), in: dialect)
  }

  /// A string that JSON doesn't escape is in the list when it occurs between quotes after the bracket or a comma: a
  /// quote inside an element has a backslash before it, and a closing quote is followed by a comma or the bracket.
  private static func quoted(
    _ text: String, in list: Term, _ dialect: any SQLDialect
  ) -> Condition {
    func occurs(_ part: String) -> Condition {
      Condition(
        dialect.occurs(SQLFragment(binding: .text(part)), in: list.fragment), in: dialect)
    }
    return occurs("[\"" + text + "\"").or(occurs(",\"" + text + "\""))
  }

  /// Letters (without `K`, which U+212A is equal to), digits and a few other characters that JSON never escapes.
  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x4A, 0x4C...0x5A, 0x61...0x7A, 0x20, 0x2D, 0x5F: true
        default: false
        }
      }
  }

  /// The only JSON string of a UUID, or of an enumeration with plain raw values.
  private static func exactText(of value: Any) -> String? {
    switch ConstantEncoding.unwrap(value) {
    case let uuid as UUID: return uuid.uuidString
    case let raw as any RawRepresentable where TypeInspection.isEnumeration(type(of: raw)):
      guard let text = raw.rawValue as? String, isPlain(text), encodesAsRawValue(raw, text)
      else { return nil }
      return text
    default: return nil
    }
  }

  /// Whether the JSON is the raw value: an enumeration may have its own encoding.
  private static func encodesAsRawValue(_ value: Any, _ text: String) -> Bool {
    guard let encodable = value as? any Encodable else { return false }
    do {
      return try JSONColumn.encode(encodable) == "\"" + text + "\""
    } catch {
      return false  // A value that can't be encoded is in no list.
    }
  }
}
