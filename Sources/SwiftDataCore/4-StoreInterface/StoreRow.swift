/// A copied row: its entity, its ID and its cells.
package struct StoreRow: Sendable {
  package let plan: EntityPlan
  package let rowID: Int64
  package let cells: RowSnapshot

  package init(plan: EntityPlan, rowID: Int64, cells: RowSnapshot) {
    self.plan = plan
    self.rowID = rowID
    self.cells = cells
  }
}

extension StoreRow {
  /// Calls `body` with the row in the form in which a store passes rows on.
  package func passed<Result>(_ body: (StoredRow) throws -> Result) rethrows -> Result {
    try cells.withCells { try body(StoredRow(plan: plan, rowID: rowID, cells: $0)) }
  }
}

extension StoreRow {
  /// Creates an independent copy of a row.
  package init(copying row: StoredRow) {
    self.init(plan: row.plan, rowID: row.rowID, cells: RowSnapshot(copying: row.cells))
  }
}

extension RowSnapshot {
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

  /// Calls `body` with the cells in the form in which a store passes them on: bytes by address.
  package func withCells<Result>(
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Result
  ) rethrows -> Result {
    try arena.withUnsafeBytes { bytes in
      let base = Int64(Int(bitPattern: bytes.baseAddress))
      var absolute = cells
      for index in absolute.indices
      where absolute[index].kind == .text || absolute[index].kind == .blob {
        absolute[index].bits += base
      }
      return try absolute.withUnsafeBufferPointer(body)
    }
  }
}
