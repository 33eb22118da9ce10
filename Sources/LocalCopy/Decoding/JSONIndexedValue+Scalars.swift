import Foundation
import WireFormats

/// Converts single values: from the text of an entry to a Swift type.
extension JSONIndexedValue {
  @inline(__always)
  func isNull(_ position: Int) -> Bool { entry(position).kind == .null }

  func decode(_ type: Bool.Type, at position: Int) throws -> Bool {
    switch entry(position).kind {
    case .true: return true
    case .false: return false
    default: throw mismatch(type, position)
    }
  }

  func decode(_ type: String.Type, at position: Int) throws -> String {
    let entry = entry(position)
    guard entry.kind == .string else { throw mismatch(type, position) }
    guard let string = JSONText.string(text(entry), entry.marks) else {
      throw corrupted("The string has an escaped surrogate without its partner.", position)
    }
    return string
  }

  @inline(__always)
  func decode<T: FixedWidthInteger>(integer type: T.Type, at position: Int) throws -> T {
    let entry = entry(position)
    guard entry.kind == .number else { throw mismatch(type, position) }
    if let value: T = JSONNumber.integer(text(entry), entry.marks) { return value }
    throw corrupted("The number \(numberText(entry)) does not fit in \(type).", position)
  }

  @inline(__always)
  func decode(_ type: Double.Type, at position: Int) throws -> Double {
    let entry = entry(position)
    guard entry.kind == .number else { throw mismatch(type, position) }
    if let value = JSONNumber.double(text(entry)) { return value }
    throw corrupted("The number \(numberText(entry)) does not fit in \(type).", position)
  }

  func decode(_ type: Float.Type, at position: Int) throws -> Float {
    let entry = entry(position)
    guard entry.kind == .number else { throw mismatch(type, position) }
    if let value = JSONNumber.float(text(entry)) { return value }
    throw corrupted("The number \(numberText(entry)) does not fit in \(type).", position)
  }

  // MARK: Foundation types with their own JSON form

  func decode(_ type: Date.Type, at position: Int) throws -> Date {
    switch options.dates {
    case .deferredToDate:
      return try Date(from: JSONValueDecoder(value: self, position: position))
    case .secondsSince1970:
      return Date(timeIntervalSince1970: try decode(Double.self, at: position))
    case .millisecondsSince1970:
      return Date(timeIntervalSince1970: try decode(Double.self, at: position) / 1000)
    case .iso8601:
      let text = try decode(String.self, at: position)
      do {
        return try Date.ISO8601FormatStyle().parse(text)
      } catch {
        throw corrupted(
          "Expected a date as in 2025-05-04T13:52:55Z, found “\(text.printable(limit: 40))”.",
          position)
      }
    case .custom(let decode):
      return try decode(JSONValueDecoder(value: self, position: position))
    }
  }

  func decode(_ type: URL.Type, at position: Int) throws -> URL {
    guard let url = URL(string: try decode(String.self, at: position)) else {
      throw corrupted("Invalid URL string.", position)
    }
    return url
  }

  func decode(_ type: Data.Type, at position: Int) throws -> Data {
    guard let data = Data(base64Encoded: try decode(String.self, at: position)) else {
      throw corrupted("The string is not valid Base64.", position)
    }
    return data
  }

  func decode(_ type: Decimal.Type, at position: Int) throws -> Decimal {
    let entry = entry(position)
    guard entry.kind == .number else { throw mismatch(type, position) }
    let digits = String(decoding: text(entry), as: UTF8.self)
    if let value = Decimal(string: digits), !value.isNaN { return value }
    throw corrupted("The number \(numberText(entry)) does not fit in Decimal.", position)
  }

  // MARK: Errors

  private func numberText(_ entry: Entry) -> String {
    String(decoding: text(entry).prefix(40), as: UTF8.self)
  }

  func corrupted(_ reason: String, _ position: Int) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath(to: position), debugDescription: reason))
  }

  @inline(never)
  func mismatch(_ type: any Any.Type, _ position: Int) -> DecodingError {
    let path = codingPath(to: position)
    let kind = entry(position).kind
    guard kind != .null else {
      return .valueNotFound(
        type, .init(codingPath: path, debugDescription: "Expected \(type), found null."))
    }
    return .typeMismatch(
      type, .init(codingPath: path, debugDescription: "Expected \(type), found \(kind.name)."))
  }
}

extension JSONTape.Kind {
  /// The name of the kind of value, for messages.
  var name: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .key, .string: "a string"
    case .number: "a number"
    case .true, .false: "a Boolean"
    case .null: "null"
    }
  }
}
