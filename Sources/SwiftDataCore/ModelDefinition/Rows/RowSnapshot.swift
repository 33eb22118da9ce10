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
    isEqual(in: range, to: other.cells, other.arena, at: start)
  }

  /// The same with the parts of a row, so that whoever has one in an object needn't make a copy of all of it.
  package func isEqual(
    in range: Range<Int>, to others: [_Cell], _ bytes: [UInt8], at start: Int
  ) -> Bool {
    for column in range {
      let mine = cells[column]
      let theirs = others[start + column - range.lowerBound]
      guard mine.kind == theirs.kind, mine.count == theirs.count else { return false }
      switch mine.kind {
      case .null: continue
      case .integer, .real: if mine.bits != theirs.bits { return false }
      case .text, .blob:
        let (left, right) = (Int(mine.bits), Int(theirs.bits))
        let (end, otherEnd) = (left + mine.count, right + theirs.count)
        if !arena[left..<end].elementsEqual(bytes[right..<otherEnd]) { return false }
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
