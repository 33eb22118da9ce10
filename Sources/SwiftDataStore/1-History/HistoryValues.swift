import SwiftDataCore

/// The preserved values of a deleted row, packed.
///
/// The number of properties; then for each its position, the number of its columns, and the columns: SQLite's type
/// and the value.
package struct HistoryValues: Sendable {
  /// The packed values.
  package var bytes: [UInt8] = []

  package init(properties count: Int) { bytes.append(variable: UInt64(count)) }

  package mutating func begin(property position: Int, columns count: Int) {
    bytes.append(variable: UInt64(position))
    bytes.append(variable: UInt64(count))
  }

  /// Appends a value of a column, whose bytes are in a buffer.
  package mutating func append(_ cell: _Cell, _ content: UnsafeRawBufferPointer) {
    bytes.append(cell.kind.rawValue)
    switch cell.kind {
    case .null: break
    case .integer: bytes.append(signed: cell.bits)
    case .real: bytes.append(variable: UInt64(bitPattern: cell.bits))
    case .text, .blob:
      bytes.append(variable: UInt64(content.count))
      bytes += content
    }
  }

  // MARK: - Reading

  /// The columns of each property, by its position in the layout.
  package private(set) var columns: [Int: RowCopy] = [:]

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
