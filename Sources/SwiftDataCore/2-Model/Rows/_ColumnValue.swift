import Foundation

/// A type whose values are stored whole in one typed column. Users' own types don't conform: a `RawRepresentable` is
/// stored as its raw value, a `Codable` structure member by member or as JSON.
public protocol _ColumnValue: Codable {
  static var _columnKind: ColumnKind { get }
  func _encode(into writer: inout _RowWriter)
  static func _decode(from reader: inout _RowReader) throws -> Self
}

extension Bool: _ColumnValue {
  public static var _columnKind: ColumnKind { .boolean }
  @inlinable
  public func _encode(into writer: inout _RowWriter) { writer.append(integer: self ? 1 : 0) }
  @inlinable
  @inline(__always)
  public static func _decode(from reader: inout _RowReader) throws -> Bool {
    try reader.nextInteger() != 0
  }
}

extension Double: _ColumnValue {
  public static var _columnKind: ColumnKind { .real }
  @inlinable
  public func _encode(into writer: inout _RowWriter) { writer.append(real: self) }
  @inlinable
  @inline(__always)
  public static func _decode(from reader: inout _RowReader) throws -> Double {
    try reader.nextReal()
  }
}

extension Float: _ColumnValue {
  public static var _columnKind: ColumnKind { .real }
  @inlinable
  public func _encode(into writer: inout _RowWriter) { writer.append(real: Double(self)) }
  @inlinable
  public static func _decode(from reader: inout _RowReader) throws -> Float {
    Float(try reader.nextReal())
  }
}

extension String: _ColumnValue {
  public static var _columnKind: ColumnKind { .text }
  @inlinable
  public func _encode(into writer: inout _RowWriter) { writer.append(text: self) }
  @inlinable
  public static func _decode(from reader: inout _RowReader) throws -> String {
    try reader.nextText()
  }
}

extension Date: _ColumnValue {
  public static var _columnKind: ColumnKind { .date }
  @inlinable
  public func _encode(into writer: inout _RowWriter) {
    writer.append(real: timeIntervalSinceReferenceDate)
  }
  @inlinable
  @inline(__always)
  public static func _decode(from reader: inout _RowReader) throws -> Date {
    Date(timeIntervalSinceReferenceDate: try reader.nextReal())
  }
}

extension Data: _ColumnValue {
  public static var _columnKind: ColumnKind { .data }
  @inlinable
  public func _encode(into writer: inout _RowWriter) { writer.append(blob: self) }
  @inlinable
  public static func _decode(from reader: inout _RowReader) throws -> Data {
    Data(try reader.nextBlob())
  }
}

extension UUID: _ColumnValue {
  public static var _columnKind: ColumnKind { .uuid }
  public func _encode(into writer: inout _RowWriter) {
    withUnsafeBytes(of: uuid) { writer.append(blob: $0) }
  }
  public static func _decode(from reader: inout _RowReader) throws -> UUID {
    let cell = try reader.next()
    guard cell.kind == .blob, cell.count == 16 else {
      throw reader.mismatch(expected: "blob of 16 bytes", cell)
    }
    return UUID(uuid: reader.bytes(of: cell).loadUnaligned(as: uuid_t.self))
  }
}

extension URL: _ColumnValue {
  public static var _columnKind: ColumnKind { .url }
  public func _encode(into writer: inout _RowWriter) { writer.append(text: absoluteString) }
  public static func _decode(from reader: inout _RowReader) throws -> URL {
    let cell = try reader.next()
    guard cell.kind == .text, let url = URL(string: reader.text(of: cell)) else {
      throw reader.mismatch(expected: "URL", cell)
    }
    return url
  }
}

extension Decimal: _ColumnValue {
  public static var _columnKind: ColumnKind { .decimal }
  public func _encode(into writer: inout _RowWriter) { writer.append(text: description) }
  public static func _decode(from reader: inout _RowReader) throws -> Decimal {
    let cell = try reader.next()
    switch cell.kind {
    case .integer: return Decimal(cell.bits)
    case .text:
      let text = reader.text(of: cell)
      if text == "NaN" { return .nan }
      // `Decimal(string:)` stops at the first invalid character; only a text without such characters is accepted.
      let digits = text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E || byte == 0x2B
          || byte == 0x45 || byte == 0x65
      }
      if digits, let value = Decimal(string: text) { return value }
      throw reader.mismatch(expected: "decimal number", cell)
    default: throw reader.mismatch(expected: "decimal number", cell)
    }
  }
}

extension Optional: _ColumnValue where Wrapped: _ColumnValue {
  public static var _columnKind: ColumnKind { Wrapped._columnKind }
  @inlinable
  public func _encode(into writer: inout _RowWriter) {
    if let value = self { value._encode(into: &writer) } else { writer.appendNull() }
  }
  @inlinable
  @inline(__always)
  public static func _decode(from reader: inout _RowReader) throws -> Wrapped? {
    if reader.isNextNull {
      _ = try reader.next()
      return nil
    }
    return try Wrapped._decode(from: &reader)
  }
}
