import Foundation
import SwiftDataCore

/// A type as which a column of a statement can be read, and whose values can be bound to a statement: `Bool`, the
/// integers, `Double`, `Float`, `String`, `Date`, `Data`, `UUID`, `URL`, `Decimal`, ``RowReference``, and optionals.
///
/// A type with such a raw value needs one line: `extension Alert: SQLConvertible {}`.
public protocol SQLConvertible {
  static func _decodeSQL(from reader: inout _RowReader) throws -> Self
  /// The value to bind; nil for NULL.
  var _sqlConstant: (any _ColumnValue)? { get }
}

extension SQLConvertible where Self: _ColumnValue {
  public static func _decodeSQL(from reader: inout _RowReader) throws -> Self {
    try _decode(from: &reader)
  }
  public var _sqlConstant: (any _ColumnValue)? { self }
}

extension SQLConvertible where Self: RawRepresentable, RawValue: SQLConvertible {
  public static func _decodeSQL(from reader: inout _RowReader) throws -> Self {
    let raw = try RawValue._decodeSQL(from: &reader)
    guard let value = Self(rawValue: raw) else {
      throw RowDecodingError(
        entity: "", column: "", expected: "a raw value of \(Self.self)", found: "\(raw)")
    }
    return value
  }
  public var _sqlConstant: (any _ColumnValue)? { rawValue._sqlConstant }
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
  public static func _decodeSQL(from reader: inout _RowReader) throws -> Wrapped? {
    if reader.isNextNull {
      _ = try reader.next()
      return nil
    }
    return try Wrapped._decodeSQL(from: &reader)
  }
  public var _sqlConstant: (any _ColumnValue)? { self?._sqlConstant }
}

extension Bool: SQLConvertible {}
extension Int: SQLConvertible {}
extension Int8: SQLConvertible {}
extension Int16: SQLConvertible {}
extension Int32: SQLConvertible {}
extension Int64: SQLConvertible {}
extension UInt: SQLConvertible {}
extension UInt8: SQLConvertible {}
extension UInt16: SQLConvertible {}
extension UInt32: SQLConvertible {}
extension UInt64: SQLConvertible {}
extension Double: SQLConvertible {}
extension Float: SQLConvertible {}
extension String: SQLConvertible {}
extension Date: SQLConvertible {}
extension Data: SQLConvertible {}
extension UUID: SQLConvertible {}
extension URL: SQLConvertible {}
extension Decimal: SQLConvertible {}

/// Decodes the columns of a row, one after the other.
func rowDecoder<each Column: SQLConvertible>(
  _ types: repeat (each Column).Type
) -> (inout _RowReader) throws -> (repeat each Column) {
  { reader in (repeat try (each Column)._decodeSQL(from: &reader)) }
}
