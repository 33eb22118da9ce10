import Foundation

/// A view of written rows, one behind the other, valid as long as their memory stays in place. Code that has the rows
/// in an object can compare them without copying their container.
package struct RowCells {
  private let cells: UnsafeBufferPointer<_Cell>
  private let arena: UnsafeRawBufferPointer

  package init(_ cells: UnsafeBufferPointer<_Cell>, _ arena: UnsafeRawBufferPointer) {
    self.cells = cells
    self.arena = arena
  }

  /// Whether some columns of the row that begins at the cell `start` hold the values of `other`, which are in the same
  /// order and point to their bytes.
  package func isEqual(
    _ columns: [Int], from start: Int, to other: UnsafeBufferPointer<_Cell>
  ) -> Bool {
    var place = 0
    for column in columns {
      guard cells[start + column].isEqual(to: other[place], arena) else { return false }
      place += 1
    }
    return true
  }

  /// Whether some columns have values that a database also considers equal to those of `other`: NULL equals nothing,
  /// not even itself.
  package func isSame(
    _ columns: [Int], from start: Int, as other: UnsafeBufferPointer<_Cell>
  ) -> Bool {
    columns.allSatisfy { cells[start + $0].kind != .null }
      && isEqual(columns, from: start, to: other)
  }
}

extension _Cell {
  /// Whether a cell of a written row, whose bytes are in `arena`, has exactly the value of another cell, which points
  /// to its bytes.
  func isEqual(to theirs: _Cell, _ arena: UnsafeRawBufferPointer) -> Bool {
    guard kind == theirs.kind, count == theirs.count else { return false }
    switch kind {
    case .null: return true
    case .integer, .real: return bits == theirs.bits
    case .text, .blob:
      guard count > 0, let bytes = UnsafeRawPointer(bitPattern: Int(theirs.bits)) else {
        return true
      }
      guard let base = arena.baseAddress else { return false }
      return memcmp(base + Int(bits), bytes, count) == 0
    }
  }
}
