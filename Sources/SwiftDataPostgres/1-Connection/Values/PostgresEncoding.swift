import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The reason why a value has no binary form of a type.
package enum PostgresValueProblem: Error, Hashable {
  /// A text contains U+0000, which PostgreSQL can't store
  /// (https://www.postgresql.org/docs/15/datatype-character.html).
  case zeroCharacter
  /// A number is outside of the type's range.
  case outOfRange
  /// The value is of another kind.
  case mismatch
  /// The values of a statement have more bytes than the server takes.
  case tooLong

  package var explanation: String {
    switch self {
    case .zeroCharacter:
      "a text contains the character U+0000, which PostgreSQL can't store; remove it"
    case .outOfRange: "a number is outside of the range of its column; choose a smaller one"
    case .mismatch: "a value is of another kind than its column"
    case .tooLong:
      "the values of a statement are longer than the 1 GiB that PostgreSQL takes; make them shorter"
    }
  }
}

/// The binary forms of values (https://www.postgresql.org/docs/15/protocol-overview.html#PROTOCOL-FORMAT-CODES): the
/// `_send` functions of the types in PostgreSQL's sources.
enum PostgresEncoding {
  /// Appends a value with its length before it, as arrays and COPY have it; -1 is NULL.
  static func append(
    _ cell: _Cell, _ bytes: UnsafeRawBufferPointer, as type: PostgresType,
    to output: inout [UInt8]
  ) throws(PostgresValueProblem) {
    if cell.kind == .null { return append(Int32(-1), to: &output) }
    // The most frequent types of a fixed size.
    if type == .integer, cell.kind == .integer {
      return appendSized(UInt64(bitPattern: cell.bits), to: &output)
    }
    if type == .real, cell.kind == .real {
      return appendSized(UInt64(bitPattern: cell.bits), to: &output)
    }
    let start = output.count
    append(Int32(0), to: &output)
    try appendValue(cell, bytes, as: type, to: &output)
    setLength(at: start, of: &output)
  }

  /// Appends eight bytes with their number before them, at once.
  static func appendSized(_ bits: UInt64, to output: inout [UInt8]) {
    withUnsafeBytes(of: (UInt128(8) << 64 | UInt128(bits)).bigEndian) {
      output.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[4...]))
    }
  }

  /// Replaces the four bytes at `start` with the number of the bytes behind them.
  private static func setLength(at start: Int, of output: inout [UInt8]) {
    let length = UInt32(truncatingIfNeeded: output.count - start - 4).bigEndian
    output.withUnsafeMutableBytes {
      $0.storeBytes(of: length, toByteOffset: start, as: UInt32.self)
    }
  }

  static func append<Integer: FixedWidthInteger>(_ integer: Integer, to output: inout [UInt8]) {
    withUnsafeBytes(of: integer.bigEndian) { output.append(contentsOf: $0) }
  }

  /// Appends a value that isn't NULL, without its length.
  static func appendValue(
    _ cell: _Cell, _ bytes: UnsafeRawBufferPointer, as type: PostgresType,
    to output: inout [UInt8]
  ) throws(PostgresValueProblem) {
    switch type {
    case .integer: try appendInteger(cell, as: Int64.self, to: &output)
    case .real: append(try real(cell, bytes).bitPattern, to: &output)
    case .boolean:
      guard cell.kind == .integer else { throw .mismatch }
      output.append(cell.bits == 0 ? 0 : 1)
    case .integer32: try appendInteger(cell, as: Int32.self, to: &output)
    case .integer16: try appendInteger(cell, as: Int16.self, to: &output)
    case .real32: append(Float(try real(cell, bytes)).bitPattern, to: &output)
    case .data:
      guard cell.kind == .blob || cell.kind == .text else { throw .mismatch }
      output.append(contentsOf: bytes)
    case .uuid:
      guard cell.kind == .blob, bytes.count == 16 else { throw .mismatch }
      output.append(contentsOf: bytes)
    case .numeric: try appendNumeric(cell, bytes, to: &output)
    default:
      guard cell.kind == .text else { throw .mismatch }
      try checkText(bytes)
      output.append(contentsOf: bytes)
    }
  }

  static func checkText(_ bytes: UnsafeRawBufferPointer) throws(PostgresValueProblem) {
    guard let start = bytes.baseAddress else { return }
    if memchr(start, 0, bytes.count) != nil { throw .zeroCharacter }
  }

  private static func appendInteger<Integer: FixedWidthInteger>(
    _ cell: _Cell, as type: Integer.Type, to output: inout [UInt8]
  ) throws(PostgresValueProblem) {
    // An unsigned integer above the largest signed one is eight bytes.
    guard cell.kind == .integer else { throw cell.kind == .blob ? .outOfRange : .mismatch }
    guard let integer = Integer(exactly: cell.bits) else { throw .outOfRange }
    append(integer, to: &output)
  }

  private static func real(
    _ cell: _Cell, _ bytes: UnsafeRawBufferPointer
  ) throws(PostgresValueProblem) -> Double {
    switch cell.kind {
    case .real: return Double(bitPattern: UInt64(bitPattern: cell.bits))
    case .integer: return Double(cell.bits)
    case .text where bytes.elementsEqual("NaN".utf8): return .nan
    default: throw .mismatch
    }
  }

  private static func appendNumeric(
    _ cell: _Cell, _ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]
  ) throws(PostgresValueProblem) {
    func append(_ digits: String) throws(PostgresValueProblem) {
      var digits = digits
      let isNumber = digits.withUTF8 {
        PostgresNumeric.append(UnsafeRawBufferPointer($0), to: &output)
      }
      if !isNumber { throw .mismatch }
    }
    switch cell.kind {
    case .integer: try append(String(cell.bits))
    case .text:
      guard PostgresNumeric.append(bytes, to: &output) else { throw .mismatch }
    case .blob where bytes.count == 8:
      try append(String(UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
    default: throw .mismatch
    }
  }
}

/// A list of values of one type in its binary form (`array_send` in arrayfuncs.c), for parameters of statements whose
/// text doesn't depend on the number of rows.
package struct PostgresList: Sendable {
  package let element: PostgresType
  package private(set) var count = 0
  private var hasNull = false
  private var elements: [UInt8] = []

  package init(of element: PostgresType) { self.element = element }

  package init(_ integers: some Sequence<Int64>) {
    self.init(of: .integer)
    for integer in integers { append(integer) }
  }

  package mutating func append(_ integer: Int64) {
    PostgresEncoding.appendSized(UInt64(bitPattern: integer), to: &elements)
    count += 1
  }

  /// Appends a value whose bytes are in a buffer.
  package mutating func append(
    _ cell: _Cell, _ bytes: UnsafeRawBufferPointer
  ) throws(PostgresValueProblem) {
    try PostgresEncoding.append(cell, bytes, as: element, to: &elements)
    count += 1
    if cell.kind == .null { hasNull = true }
  }

  /// Appends the first value alone, without a length before it.
  ///
  /// - Returns: Whether it is another one than NULL.
  func appendFirst(to output: inout [UInt8]) -> Bool {
    guard !hasNull, count > 0 else { return false }
    output.append(contentsOf: elements.dropFirst(4))
    return true
  }

  /// The first value in SQL.
  var explainedFirst: String {
    guard !hasNull, count > 0 else { return "NULL" }
    return elements[4...].withUnsafeBytes { bytes in
      switch element {
      case .integer, .integer32, .integer16:
        PostgresRowReader.integer(of: bytes).map { "\($0)" } ?? "?"
      case .boolean: bytes.first == 0 ? "FALSE" : "TRUE"
      case .real where bytes.count == 8:
        "\(Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))"
      case .text, .variableText: SQLIdentifier.literal(String(decoding: bytes, as: UTF8.self))
      default: "(\(bytes.count) bytes)"
      }
    }
  }

  /// Appends the list without a length before it.
  func append(to output: inout [UInt8]) {
    PostgresEncoding.append(Int32(count == 0 ? 0 : 1), to: &output)
    PostgresEncoding.append(Int32(hasNull ? 1 : 0), to: &output)
    PostgresEncoding.append(element.number, to: &output)
    guard count > 0 else { return }
    PostgresEncoding.append(Int32(truncatingIfNeeded: count), to: &output)
    PostgresEncoding.append(Int32(1), to: &output)
    output.append(contentsOf: elements)
  }
}
