import CPostgres
import SwiftDataCore

/// The result of one statement. The cells of its rows point into it.
package final class PostgresResult {
  let handle: OpaquePointer
  package let rowCount: Int
  package let columnCount: Int

  /// Takes over a `PGresult`.
  init(_ handle: OpaquePointer) {
    self.handle = handle
    rowCount = Int(PQntuples(handle))
    columnCount = Int(PQnfields(handle))
  }

  deinit { PQclear(handle) }

  /// The number of rows that the statement changed.
  package var changedCount: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

  /// The command that was carried out: `ROLLBACK` for a COMMIT of a transaction that had failed.
  var command: String { String(cString: PQcmdStatus(handle)) }

  func type(of column: Int) -> PostgresType { PostgresType(PQftype(handle, Int32(column))) }

  package func name(of column: Int) -> String {
    PQfname(handle, Int32(column)).map { String(cString: $0) } ?? "?"
  }

  func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(handle, Int32(row), Int32(column)) != 0
  }

  func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(handle, Int32(row), Int32(column)),
      count: Int(PQgetlength(handle, Int32(row), Int32(column))))
  }

  /// An integer of any width; nil for NULL and other types.
  package func integer(_ row: Int, _ column: Int) -> Int64? {
    guard !isNull(row, column) else { return nil }
    return PostgresRowReader.integer(of: bytes(row, column))
  }

  /// A boolean; false for NULL.
  package func isTrue(_ row: Int, _ column: Int) -> Bool {
    !isNull(row, column) && bytes(row, column).first == 1
  }

  /// Data, valid as long as the result; nil for NULL.
  package func data(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    isNull(row, column) ? nil : bytes(row, column)
  }

  /// A real number; nil for NULL and other types.
  package func real(_ row: Int, _ column: Int) -> Double? {
    let bytes = bytes(row, column)
    guard !isNull(row, column), bytes.count == 8 else { return nil }
    return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  /// A text; nil for NULL.
  package func text(_ row: Int, _ column: Int) -> String? {
    guard !isNull(row, column) else { return nil }
    return String(decoding: bytes(row, column), as: UTF8.self)
  }

  /// The values of a row, copied.
  package func values(_ row: Int, _ kinds: [ColumnKind?] = []) -> [ColumnValue] {
    let reader = PostgresRowReader(self, kinds: kinds)
    return reader.cells(of: self, row).map { ColumnValue($0) }
  }
}

/// Reads rows of one statement as cells.
///
/// Texts, data and UUIDs are read where they lie in the result; numbers without a fixed size are written into memory of
/// the reader, which is valid until the next row.
package final class PostgresRowReader {
  private enum Form {
    case integer, boolean, real, real32, text, data, decimal, unsigned, number, timestamp, day
  }

  private let forms: [Form]
  private let cells: UnsafeMutableBufferPointer<_Cell>
  /// The digits of one number without a fixed size.
  private var scratch: [UInt8] = []
  /// The memory of each column's number without a fixed size.
  private var buffers: [UnsafeMutableRawBufferPointer]

  /// - Parameters:
  ///   - result: A result of the statement.
  ///   - kinds: The kinds of the columns, as far as their types don't tell: decimal and unsigned numbers are of one
  ///     type. Columns behind these are of no kind.
  ///   - readsForeignTypes: Whether columns may have types that models don't have.
  package init(
    _ result: PostgresResult, kinds: [ColumnKind?] = [], readsForeignTypes: Bool = false
  ) {
    forms = (0..<result.columnCount).map { column in
      let type = result.type(of: column)
      if readsForeignTypes, let form = Self.foreignForm(type) { return form }
      return Self.form(type, kinds.indices.contains(column) ? kinds[column] : nil)
    }
    cells = .allocate(capacity: forms.count)
    cells.initialize(repeating: _Cell(kind: .null))
    buffers = Array(
      repeating: UnsafeMutableRawBufferPointer(start: nil, count: 0), count: forms.count)
  }

  deinit {
    cells.deallocate()
    for buffer in buffers { buffer.deallocate() }
  }

  private static func foreignForm(_ type: PostgresType) -> Form? {
    switch type {
    case .numeric: .number
    case .timestamp, .timestampWithTimeZone: .timestamp
    case .day: .day
    default: nil
    }
  }

  private static func form(_ type: PostgresType, _ kind: ColumnKind?) -> Form {
    switch type {
    case .boolean: .boolean
    case .integer, .integer32, .integer16: .integer
    case .real: .real
    case .real32: .real32
    case .numeric: kind == .unsigned ? .unsigned : .decimal
    case .data, .uuid: .data
    default: .text
    }
  }

  /// The cells of a row, valid until the next row and as long as the result.
  package func cells(of result: PostgresResult, _ row: Int) -> UnsafeBufferPointer<_Cell> {
    for column in forms.indices {
      cells[column] =
        result.isNull(row, column)
        ? _Cell(kind: .null) : cell(result.bytes(row, column), column)
    }
    return UnsafeBufferPointer(cells)
  }

  private func cell(_ bytes: UnsafeRawBufferPointer, _ column: Int) -> _Cell {
    switch forms[column] {
    case .integer: return _Cell(kind: .integer, bits: Self.integer(of: bytes) ?? 0)
    case .boolean: return _Cell(kind: .integer, bits: bytes.first == 0 ? 0 : 1)
    case .real:
      guard bytes.count == 8 else { return _Cell(kind: .null) }
      return Self.cell(
        Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
    case .real32:
      guard bytes.count == 4 else { return _Cell(kind: .null) }
      return Self.cell(
        Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))))
    case .text: return Self.cell(.text, bytes)
    case .data: return Self.cell(.blob, bytes)
    case .decimal: return decimal(bytes, column)
    case .number: return number(bytes, column)
    case .timestamp:
      // Microseconds since the beginning of 2000, a year of 366 days.
      guard let microseconds = Self.integer(of: bytes) else { return _Cell(kind: .null) }
      return Self.cell(Double(microseconds) / 1e6 - 366 * 86_400)
    case .day:
      let day = PostgresDay(sinceYear2000: Int(Self.integer(of: bytes) ?? 0))
      return keep(Array(day.description.utf8), .text, column)
    case .unsigned:
      guard let number = PostgresNumeric.unsigned(of: bytes) else { return decimal(bytes, column) }
      if let integer = Int64(exactly: number) { return _Cell(kind: .integer, bits: integer) }
      return keep(withUnsafeBytes(of: number.bigEndian) { Array($0) }, .blob, column)
    }
  }

  private func decimal(_ bytes: UnsafeRawBufferPointer, _ column: Int) -> _Cell {
    scratch.removeAll(keepingCapacity: true)
    guard PostgresNumeric.appendText(of: bytes, to: &scratch) else { return _Cell(kind: .null) }
    return keep(scratch, .text, column)
  }

  /// A number as an integer, if it is one.
  private func number(_ bytes: UnsafeRawBufferPointer, _ column: Int) -> _Cell {
    let cell = decimal(bytes, column)
    guard cell.kind == .text,
      let integer = Int64(
        String(
          decoding: UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: Int(cell.bits)), count: cell.count),
          as: UTF8.self))
    else { return cell }
    return _Cell(kind: .integer, bits: integer)
  }

  /// A cell whose bytes are in the reader's memory.
  private func keep(_ bytes: [UInt8], _ kind: _Cell.Kind, _ column: Int) -> _Cell {
    if buffers[column].count < bytes.count {
      buffers[column].deallocate()
      buffers[column] = .allocate(byteCount: max(64, bytes.count * 2), alignment: 1)
    }
    buffers[column].copyBytes(from: bytes)
    return Self.cell(
      kind, UnsafeRawBufferPointer(start: buffers[column].baseAddress, count: bytes.count))
  }

  private static func cell(_ kind: _Cell.Kind, _ bytes: UnsafeRawBufferPointer) -> _Cell {
    _Cell(kind: kind, bits: Int64(Int(bitPattern: bytes.baseAddress)), count: bytes.count)
  }

  private static let nan: StaticString = "NaN"

  /// The cell of a number; NaN is a text in cells.
  private static func cell(_ real: Double) -> _Cell {
    guard real.isNaN else {
      return _Cell(kind: .real, bits: Int64(bitPattern: real.bitPattern))
    }
    return cell(.text, UnsafeRawBufferPointer(start: nan.utf8Start, count: nan.utf8CodeUnitCount))
  }

  static func integer(of bytes: UnsafeRawBufferPointer) -> Int64? {
    switch bytes.count {
    case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    default: nil
    }
  }
}
