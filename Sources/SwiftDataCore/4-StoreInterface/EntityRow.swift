/// A copied row: its entity, its ID and its cells.
package struct EntityRow: Sendable {
  package let plan: EntityPlan
  package let rowID: Int64
  package let cells: RowCopy

  package init(plan: EntityPlan, rowID: Int64, cells: RowCopy) {
    self.plan = plan
    self.rowID = rowID
    self.cells = cells
  }
}

extension EntityRow {
  /// Calls `body` with the row in the form in which a store passes rows on.
  package func withView<Result>(_ body: (RowView) throws -> Result) rethrows -> Result {
    try cells.withCells { try body(RowView(plan: plan, rowID: rowID, cells: $0)) }
  }
}

extension EntityRow {
  /// Creates an independent copy of a row.
  package init(copying row: RowView) {
    self.init(plan: row.plan, rowID: row.rowID, cells: RowCopy(copying: row.cells))
  }
}

extension RowCopy {
  /// Copies cells that a store passes on, with their bytes.
  package init(copying cells: UnsafeBufferPointer<_Cell>) {
    var arena: [UInt8] = []
    let copies = cells.map { cell in
      guard cell.kind == .text || cell.kind == .blob else { return cell }
      let start = arena.count
      arena += UnsafeRawBufferPointer(
        start: UnsafeRawPointer(bitPattern: Int(cell.bits)), count: cell.count)
      return _Cell(kind: cell.kind, bits: Int64(start), count: cell.count)
    }
    self.init(cells: copies, arena: arena)
  }
}
