import SwiftDataCore
import Testing

@Suite("Rows to be written to a side table") struct SideTableRowsTests {
  private func texts(_ rows: SideTableRows) throws -> [[ColumnValue]] {
    var found: [[ColumnValue]] = []
    try rows.forEach { cells, arena in
      found.append(
        cells.map { cell in
          guard cell.kind == .text || cell.kind == .blob, let arena else {
            return ColumnValue(cell, [])
          }
          let bytes = UnsafeBufferPointer(start: arena + Int(cell.bits), count: cell.count)
          return ColumnValue(cell, Array(bytes))
        })
    }
    return found
  }

  @Test("return the values that were appended") func values() throws {
    let given: [[ColumnValue]] = [
      [.text("a"), .integer(-1), .real(0.5), .blob([1, 2]), .null],
      [.text(""), .integer(.max), .real(-0.0), .blob([]), .text("ä\u{0}")],
    ]
    var rows = SideTableRows("a", "b", "c", "d", "e", rows: given)
    #expect(rows.count == 2)
    #expect(try texts(rows) == given)
    rows.append(given[0])
    #expect(rows.count == 3)
    #expect(try texts(rows) == given + [given[0]])
  }

  @Test("have an address for empty texts") func empty() throws {
    try SideTableRows("a", rows: [[.text("")]]).forEach { _, arena in #expect(arena != nil) }
  }

  @Test("are empty without values") func none() throws {
    let rows = SideTableRows("a", "b")
    #expect(rows.isEmpty)
    #expect(rows.count == 0)
    #expect(try texts(rows).isEmpty)
  }
}
