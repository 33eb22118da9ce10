/// Integers of every width are INTEGER columns; a stored number that the width can't hold is an error.
extension _ColumnValue where Self: FixedWidthInteger & Codable {
  public static var _columnKind: ColumnKind { .integer }

  @inlinable
  public func _encode(into writer: inout _RowWriter) { writer.append(integer: Int64(self)) }

  @inlinable
  @inline(__always)
  public static func _decode(from reader: inout _RowReader) throws -> Self {
    let integer = try reader.nextInteger()
    guard let value = Self(exactly: integer) else {
      throw reader.outOfRange(Self.self, integer)
    }
    return value
  }
}

extension Int: _ColumnValue {}
extension Int8: _ColumnValue {}
extension Int16: _ColumnValue {}
extension Int32: _ColumnValue {}
extension Int64: _ColumnValue {}
extension UInt8: _ColumnValue {}
extension UInt16: _ColumnValue {}
extension UInt32: _ColumnValue {}

extension UInt: _ColumnValue {
  public static var _columnKind: ColumnKind { .unsigned }
  public func _encode(into writer: inout _RowWriter) { UInt64(self)._encode(into: &writer) }
  public static func _decode(from reader: inout _RowReader) throws -> UInt {
    UInt(try UInt64._decode(from: &reader))
  }
}

extension UInt64: _ColumnValue {
  public static var _columnKind: ColumnKind { .unsigned }

  public func _encode(into writer: inout _RowWriter) {
    if let integer = Int64(exactly: self) {
      writer.append(integer: integer)
    } else {
      withUnsafeBytes(of: bigEndian) { writer.append(blob: $0) }
    }
  }

  public static func _decode(from reader: inout _RowReader) throws -> UInt64 {
    let cell = try reader.next()
    switch cell.kind {
    case .integer where cell.bits >= 0: return UInt64(cell.bits)
    case .blob where cell.count == 8:
      return UInt64(bigEndian: reader.bytes(of: cell).loadUnaligned(as: UInt64.self))
    default: throw reader.mismatch(expected: "unsigned integer", cell)
    }
  }
}

extension _RowReader {
  @usableFromInline
  func outOfRange(_ type: Any.Type, _ integer: Int64) -> RowDecodingError {
    RowDecodingError(
      entity: plan.name,
      column: plan.columns.indices.contains(column - 1) ? plan.columns[column - 1].name : "?",
      expected: "a number that \(type) can hold", found: "\(integer)")
  }
}
