/// The cells of one row, kept for longer than the row itself: the committed values of a model that is being edited.
package struct RowCopy: Sendable {
  package let cells: [_Cell]
  package let arena: [UInt8]

  package init(cells: [_Cell], arena: [UInt8]) {
    self.cells = cells
    self.arena = arena
  }

  /// Whether the columns in `range` hold the same values as those of `other` from the column `start` on.
  package func isEqual(in range: Range<Int>, to other: _RowWriter, at start: Int) -> Bool {
    isEqual(in: range, to: other.cells, other.arena, at: start)
  }

  /// Compares with the parts of a row, so that a caller that has the row in an object needn't copy all of it.
  package func isEqual(
    in range: Range<Int>, to others: [_Cell], _ bytes: [UInt8], at start: Int
  ) -> Bool {
    for column in range
    where !cells[column].isEqual(to: others[start + column - range.lowerBound], arena, bytes) {
      return false
    }
    return true
  }

  /// Calls `body` with a reader over the kept row.
  ///
  /// - Parameter column: The column at which the property begins, when the kept row isn't a whole row.
  package func read<Result>(
    plan: EntityPlan, state: _ModelState, property: Int = 0, column: Int? = nil,
    _ body: (inout _RowReader) throws -> Result
  ) rethrows -> Result {
    try withCells { cells in
      var reader = _RowReader(cells: cells, plan: plan, state: state)
      reader.property = property
      reader.column =
        column
        ?? (plan.properties.indices.contains(property)
          ? plan.properties[property].columns.lowerBound : 0)
      return try body(&reader)
    }
  }

  /// Calls `body` with the cells in the form in which a store passes them on: bytes by address.
  package func withCells<Result>(
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Result
  ) rethrows -> Result {
    try arena.withUnsafeBytes { bytes in
      var absolute = cells
      absolute.moveBytes(by: Int64(Int(bitPattern: bytes.baseAddress)))
      return try absolute.withUnsafeBufferPointer(body)
    }
  }
}

extension [_Cell] {
  /// Adds an offset to the positions of texts and blobs, which turns offsets into an arena into addresses.
  package mutating func moveBytes(by offset: Int64) {
    for index in indices where self[index].kind == .text || self[index].kind == .blob {
      self[index].bits += offset
    }
  }
}

extension _Cell {
  /// Whether two cells hold the same value, each with its bytes in an arena.
  func isEqual(to other: _Cell, _ arena: [UInt8], _ otherArena: [UInt8]) -> Bool {
    guard kind == other.kind, count == other.count else { return false }
    switch kind {
    case .null: return true
    case .integer, .real: return bits == other.bits
    case .text, .blob:
      let (left, right) = (Int(bits), Int(other.bits))
      return arena[left..<left + count].elementsEqual(otherArena[right..<right + other.count])
    }
  }
}
