/// Rows to be written to a side table, with the values of some of its columns.
///
/// The values of all rows are in one array and their bytes in another, so that a row needs no allocation.
package struct SideTableRows: Sendable {
  /// The names of the columns.
  package let columns: [String]
  /// The cells of all rows in sequence; those of texts and blobs have positions in ``arena``.
  package private(set) var cells: [_Cell] = []
  /// Never empty: the address of an empty text mustn't be null.
  package private(set) var arena: [UInt8] = [0]

  /// - Parameters:
  ///   - columns: The names of the columns.
  ///   - rows: The values of rows, in the order of the columns.
  package init(_ columns: [String], _ rows: [[ColumnValue]] = []) {
    self.columns = columns
    for row in rows { append(row) }
  }

  package init(_ columns: String..., rows: [[ColumnValue]] = []) { self.init(columns, rows) }

  package var isEmpty: Bool { cells.isEmpty }
  package var count: Int { columns.isEmpty ? 0 : cells.count / columns.count }

  /// - Parameters:
  ///   - count: The number of rows.
  ///   - bytes: The number of bytes of all texts and blobs.
  package mutating func reserveCapacity(_ count: Int, bytes: Int = 0) {
    cells.reserveCapacity(count * columns.count)
    arena.reserveCapacity(bytes)
  }

  /// Appends a row.
  ///
  /// - Parameter row: The values in the order of the columns.
  package mutating func append(_ row: [ColumnValue]) { for value in row { append(value) } }

  /// Appends the value of the next column.
  package mutating func append(_ value: ColumnValue) {
    switch value {
    case .null: cells.append(_Cell(kind: .null))
    case .integer(let integer): cells.append(_Cell(kind: .integer, bits: integer))
    case .real(let real):
      cells.append(_Cell(kind: .real, bits: Int64(bitPattern: real.bitPattern)))
    case .text(let text):
      let start = arena.count
      arena.append(contentsOf: text.utf8)
      cells.append(_Cell(kind: .text, bits: Int64(start), count: arena.count - start))
    case .blob(let bytes): bytes.withUnsafeBytes { append(blob: $0) }
    }
  }

  /// Appends a blob as the value of the next column.
  package mutating func append(blob bytes: UnsafeRawBufferPointer) {
    let start = arena.count
    arena.append(contentsOf: bytes)
    cells.append(_Cell(kind: .blob, bits: Int64(start), count: bytes.count))
  }

  /// Calls `body` with the cells of each row and the address of the arena; both are valid during the call.
  package func forEach(
    _ body: (UnsafeBufferPointer<_Cell>, UnsafePointer<UInt8>?) throws -> Void
  ) throws {
    let width = columns.count
    try cells.withUnsafeBufferPointer { cells in
      try arena.withUnsafeBufferPointer { arena in
        for row in 0..<count {
          try body(
            UnsafeBufferPointer(rebasing: cells[row * width..<(row + 1) * width]),
            arena.baseAddress)
        }
      }
    }
  }
}
