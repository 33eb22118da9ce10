import SwiftDataCore
import Testing

@Suite("Copied rows") struct RowCopyTests {
  private let cells = [
    _Cell(kind: .integer, bits: 7), _Cell(kind: .text, bits: 0, count: 2), _Cell(kind: .null),
    _Cell(kind: .blob, bits: 2, count: 1),
  ]

  @Test("Offsets of texts and blobs are moved, other values aren't") func moving() {
    var cells = cells
    cells.moveBytes(by: 10)
    #expect(cells.map(\.bits) == [7, 10, 0, 12])
    cells.moveBytes(by: -10)
    #expect(cells.map(\.bits) == [7, 0, 0, 2])
  }

  @Test("Cells are passed on with the addresses of their bytes") func addresses() {
    let row = RowCopy(cells: cells, arena: [65, 66, 67])
    let bytes = row.withCells { cells in
      [cells[1], cells[3]].map { cell in
        Array(
          UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: Int(cell.bits)), count: cell.count))
      }
    }
    #expect(bytes == [[65, 66], [67]])
    #expect(row.cells.map(\.bits) == cells.map(\.bits))
  }
}
