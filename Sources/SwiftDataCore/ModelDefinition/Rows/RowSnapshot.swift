/// The cells of one row kept beyond the row: the committed values of a model that is being edited.
package struct RowSnapshot: Sendable {
  package let cells: [_Cell]
  package let arena: [UInt8]

  package init(cells: [_Cell], arena: [UInt8]) {
    self.cells = cells
    self.arena = arena
  }

  /// Whether the columns in `range` hold the same values as those of `other` from `start` on.
  package func isEqual(in range: Range<Int>, to other: _RowWriter, at start: Int) -> Bool {
    for (offset, column) in range.enumerated() {
      let mine = cells[column]
      let theirs = other.cells[start + offset]
      guard mine.kind == theirs.kind, mine.count == theirs.count else { return false }
      switch mine.kind {
      case .null: continue
      case .integer, .real: if mine.bits != theirs.bits { return false }
      case .text, .blob:
        let left = arena[Int(mine.bits)..<Int(mine.bits) + mine.count]
        if !left.elementsEqual(other.bytes(of: theirs)) { return false }
      }
    }
    return true
  }

  /// Calls `body` with a reader over the kept row.
  package func read<Result>(
    plan: EntityPlan, state: _ModelState, property: Int = 0,
    _ body: (inout _RowReader) throws -> Result
  ) rethrows -> Result {
    try arena.withUnsafeBytes { bytes in
      let base = Int64(Int(bitPattern: bytes.baseAddress))
      var absolute = cells
      for index in absolute.indices
      where absolute[index].kind == .text || absolute[index].kind == .blob {
        absolute[index].bits += base
      }
      return try absolute.withUnsafeBufferPointer { cells in
        var reader = _RowReader(cells: cells, plan: plan, state: state)
        reader.property = property
        reader.column =
          plan.properties.indices.contains(property)
          ? plan.properties[property].columns.lowerBound : 0
        return try body(&reader)
      }
    }
  }
}
