import CSQLite
import SwiftDataCore

/// The preserved values of a deleted row, packed.
///
/// The number of properties; then for each its position, the number of its columns, and the columns: SQLite's type
/// and the value.
struct HistoryValues {
  private(set) var bytes: [UInt8] = []

  init(properties count: Int) { bytes.append(variable: UInt64(count)) }

  mutating func begin(property position: Int, columns count: Int) {
    bytes.append(variable: UInt64(position))
    bytes.append(variable: UInt64(count))
  }

  mutating func append(_ value: OpaquePointer?) {
    let type = value.map { sqlite3_value_type($0) } ?? SQLITE_NULL
    bytes.append(UInt8(truncatingIfNeeded: type))
    switch type {
    case SQLITE_INTEGER: bytes.append(signed: sqlite3_value_int64(value))
    case SQLITE_FLOAT:
      bytes.append(variable: sqlite3_value_double(value).bitPattern)
    case SQLITE_TEXT, SQLITE_BLOB:
      // The bytes are requested before the count, as SQLite requires.
      let start =
        type == SQLITE_TEXT
        ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
      let content = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
      bytes.append(variable: UInt64(content.count))
      bytes += content
    default: break
    }
  }

  // MARK: - Reading

  /// The columns of each property, by its position in the layout.
  private(set) var columns: [Int: RowCopy] = [:]

  init(from reader: inout HistoryUnpacker) throws {
    for _ in 0..<(try reader.variable()) {
      let position = Int(truncatingIfNeeded: try reader.variable() & 0xFFFF_FFFF)
      var cells: [_Cell] = []
      var arena: [UInt8] = []
      for _ in 0..<(try reader.variable()) {
        cells.append(try Self.cell(from: &reader, into: &arena))
      }
      columns[position] = RowCopy(cells: cells, arena: arena)
    }
  }

  private static func cell(
    from reader: inout HistoryUnpacker, into arena: inout [UInt8]
  ) throws -> _Cell {
    guard let type = try reader.bytes(1).first, let kind = _Cell.Kind(rawValue: type) else {
      throw HistoryUnpacker.Damaged()
    }
    switch kind {
    case .null: return _Cell(kind: .null)
    case .integer: return _Cell(kind: .integer, bits: try reader.signed())
    case .real: return _Cell(kind: .real, bits: Int64(bitPattern: try reader.variable()))
    case .text, .blob:
      let content = try reader.bytes(try reader.variable())
      defer { arena += content }
      return _Cell(kind: kind, bits: Int64(arena.count), count: content.count)
    }
  }
}
