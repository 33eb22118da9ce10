/// What the properties of a model were in its row before they were changed: the cells of those, and no others.
package struct FormerCells {
  private var cells: [(property: Int, cell: _Cell)] = []
  private var arena: [UInt8] = []

  package init() {}

  package var isEmpty: Bool { cells.isEmpty }

  package func contains(_ property: Int) -> Bool {
    cells.contains { $0.property == property }
  }

  /// Takes in a cell of a row, and what it has in the row's arena.
  @inline(__always)
  mutating func keep(_ cell: _Cell, of property: Int, _ bytes: @autoclosure () -> [UInt8]) {
    // Most edits are of few properties, and most values are one column.
    if cells.isEmpty { cells.reserveCapacity(2) }
    var cell = cell
    if cell.kind == .text || cell.kind == .blob {
      let start = Int(cell.bits)
      cell.bits = Int64(arena.count)
      arena += bytes()[start..<start + cell.count]
    }
    cells.append((property, cell))
  }

  /// Whether a property, whose cells stand in a row from `start` on, is there what it was; nil when it wasn't kept.
  @inline(__always)
  func isEqual(_ property: Int, to others: [_Cell], _ bytes: [UInt8], at start: Int) -> Bool? {
    var column = start
    // By index: going over the list, or passing it on, would retain it.
    for index in cells.indices where cells[index].property == property {
      let mine = cells[index].cell
      guard column < others.count else { return false }
      let other = others[column]
      if mine.kind == .text || mine.kind == .blob {
        if !mine.isEqual(to: other, arena, bytes) { return false }
      } else if mine.kind != other.kind || mine.bits != other.bits {
        return false
      }
      column += 1
    }
    return column > start ? true : nil
  }

  /// Calls `body` with a reader that stands at a property; nil when it wasn't kept.
  func read<Result>(
    _ property: Int, plan: EntityPlan, state: _ModelState,
    _ body: (inout _RowReader) throws -> Result
  ) rethrows -> Result? {
    let cells = cells.filter { $0.property == property }.map(\.cell)
    if cells.isEmpty { return nil }
    return try RowSnapshot(cells: cells, arena: arena)
      .read(plan: plan, state: state, property: property, column: 0, body)
  }

  /// Writes what a property was into a row; false when it wasn't kept.
  func write(_ property: Int, into row: inout _RowWriter) -> Bool {
    var isThere = false
    for (kept, cell) in cells where kept == property {
      isThere = true
      var cell = cell
      if cell.kind == .text || cell.kind == .blob {
        let start = Int(cell.bits)
        cell.bits = Int64(row.arena.count)
        row.arena += arena[start..<start + cell.count]
      }
      row.cells.append(cell)
    }
    return isThere
  }
}

/// Encodes properties before they are changed, through one row that is used again and again.
final class CellKeeping {
  let plan: EntityPlan
  @exclusivity(unchecked) private var row: _RowWriter
  @exclusivity(unchecked) private var isBusy = false

  init(_ plan: EntityPlan) {
    self.plan = plan
    row = _RowWriter(plan: plan)
    row.keepsDoomedLinks = true
  }

  /// Adds what `property` is to `rarities`, those of the model.
  func keep<Model: PersistentModel>(
    _ property: Int, of model: Model, _ state: _ModelState, in rarities: ModelRarities
  ) {
    // The encoding of somebody's own type may change a property in its turn.
    guard !isBusy else { return CellKeeping(plan).keep(property, of: model, state, in: rarities) }
    isBusy = true
    row.begin(state, property: property)
    model._$encode(property, into: &row)
    isBusy = false
    for index in row.cells.indices {
      rarities.former.keep(row.cells[index], of: property, row.arena)
    }
  }
}
