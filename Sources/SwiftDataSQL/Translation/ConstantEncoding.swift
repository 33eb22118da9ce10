import Foundation
import SwiftDataCore

/// Encodes values captured by a predicate like the columns they are compared with.
package enum ConstantEncoding {
  /// The SQL value of a value whose type is stored in a single column; nil for any other.
  package static func constant(_ value: (any _ColumnValue)?) -> SQLValue? {
    guard let value else { return .null }
    do {
      return try encode(value, as: TermKind(encoding: type(of: value)._columnKind))
    } catch {
      return nil  // The caller knows the value and reports it.
    }
  }

  /// The SQL value of `value`; `.null` for nil. NaN is the text 'NaN', as in columns.
  static func encode(_ value: Any, as kind: TermKind) throws(Untranslatable) -> SQLValue {
    // A cast looks through optionals, so the most common types need no unwrapping.
    switch kind.encoding {
    case .integer: if let number = value as? Int { return .integer(Int64(number)) }
    case .text, .json: if let text = value as? String, kind.encoding == .text { return .text(text) }
    case .real: if let number = value as? Double { return real(number) }
    case .date:
      if let date = value as? Date { return real(date.timeIntervalSinceReferenceDate) }
    case .boolean: if let truth = value as? Bool { return .integer(truth ? 1 : 0) }
    case .unsigned, .data, .uuid, .url, .decimal, .reference, .presence: break
    }
    guard let unwrapped = unwrap(value) else { return .null }
    if let raw = raw(unwrapped, as: kind) { return raw }
    return try other(unwrapped, as: kind)
  }

  static func real(_ number: Double) -> SQLValue { number.isNaN ? .text("NaN") : .real(number) }

  /// The value inside any number of optionals; nil for nil.
  package static func unwrap(_ value: Any) -> Any? {
    var value = value
    while let optional = value as? any OptionalType {
      guard let wrapped = optional.wrappedValue else { return nil }
      value = wrapped
    }
    return value
  }

  private static func raw(_ value: Any, as kind: TermKind) -> SQLValue? {
    guard kind.isEnumeration || kind.isRawValue,
      let representable = value as? any RawRepresentable
    else { return nil }
    var plain = kind
    plain.isEnumeration = false
    plain.isRawValue = false
    do {
      return try encode(representable.rawValue, as: plain)
    } catch {
      return nil  // The caller's next attempt reports the failure.
    }
  }

  private static func other(_ value: Any, as kind: TermKind) throws(Untranslatable) -> SQLValue {
    switch (kind.encoding, value) {
    case (.integer, let number as any BinaryInteger):
      if let integer = Int64(exactly: number) { return .integer(integer) }
    case (.integer, let result as ComparisonResult): return .integer(Int64(result.rawValue))
    case (.unsigned, let number as any BinaryInteger): return unsigned(UInt64(clamping: number))
    case (.real, let number as Float): return real(Double(number))
    case (.data, let data as Data): return .blob([UInt8](data))
    case (.uuid, let uuid as UUID): return .blob(withUnsafeBytes(of: uuid.uuid) { Array($0) })
    case (.url, let url as URL): return .text(url.absoluteString)
    case (.decimal, let number as Decimal): return .text(number.description)
    case (.json, let value as any Encodable): return try json(value)
    default: break
    }
    throw Untranslatable("a captured \(type(of: value)) can't be compared with a column")
  }

  private static func unsigned(_ number: UInt64) -> SQLValue {
    if let integer = Int64(exactly: number) { return .integer(integer) }
    return .blob(withUnsafeBytes(of: number.bigEndian) { Array($0) })
  }

  /// Encodes only cases without a payload, which have one JSON text: a payload may have several
  /// texts that are equal in Swift.
  private static func json(_ value: any Encodable) throws(Untranslatable) -> SQLValue {
    guard TypeInspection.isEnumeration(type(of: value)), Mirror(reflecting: value).children.isEmpty
    else {
      throw Untranslatable("\(type(of: value)) is kept as JSON, which is not compared in SQL")
    }
    do {
      return .text(try JSONColumn.encode(value))
    } catch {
      throw Untranslatable("a captured \(type(of: value)) can't be encoded")
    }
  }
}
