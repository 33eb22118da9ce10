import SwiftDataSQL
import Testing

@Suite("Sparse positions")
struct SparseOrderTests {
  private let gap = SparseOrder.gap

  /// Returns the positions after the changes.
  private func positions(
    _ rows: [Int64], _ stored: [Int64: Int64], behind others: Int64? = nil
  ) -> [Int64?] {
    var result = stored
    for (row, position) in SparseOrder(rows: rows, stored: stored, behind: others).changes {
      result[row] = position
    }
    return rows.map { result[$0] }
  }

  @Test("a new list gets positions with room between them")
  func fresh() {
    #expect(positions([7, 3, 9], [:]) == [gap, 2 * gap, 3 * gap])
  }

  @Test("an order that is right already is left alone")
  func settled() {
    #expect(SparseOrder(rows: [1, 2, 3], stored: [1: -4, 2: 0, 3: 9]).changes.isEmpty)
    #expect(SparseOrder(rows: [], stored: [:]).changes.isEmpty)
  }

  @Test(
    "a moved row is the only one written",
    arguments: [([2, 3, 4, 1], 1), ([4, 1, 2, 3], 4), ([1, 3, 2, 4], 0)] as [([Int64], Int64)])
  func move(rows: [Int64], moved: Int64) {
    let stored: [Int64: Int64] = [1: 10, 2: 20, 3: 30, 4: 40]
    let changes = SparseOrder(rows: rows, stored: stored).changes
    #expect(changes.count == 1)
    if moved != 0 { #expect(changes.first?.row == moved) }
    let result = positions(rows, stored).compactMap { $0 }
    #expect(result == result.sorted() && Set(result).count == 4)
  }

  @Test("rows at the end come behind those that others put there")
  func behindOthers() {
    #expect(positions([1, 2], [1: 5], behind: 100) == [5, 100 + gap])
    #expect(positions([2], [:], behind: 100) == [100 + gap])
  }

  @Test("without room between two rows all get new positions")
  func renumbering() {
    #expect(positions([1, 3, 2], [1: 1, 2: 2]) == [gap, 2 * gap, 3 * gap])
    #expect(positions([1, 2], [1: .max]) == [gap, 2 * gap])
    #expect(positions([2, 1], [1: .min]) == [gap, 2 * gap])
    #expect(positions([1, 3, 2], [1: .min, 2: .max]) == [gap, 2 * gap, 3 * gap])
  }

  @Test("equal positions, which other programs may write, are made distinct")
  func ties() {
    let result = positions([3, 1, 2], [1: 5, 2: 5, 3: 5]).compactMap { $0 }
    #expect(result == result.sorted() && Set(result).count == 3)
  }

  @Test("insertions at one place rarely renumber")
  func wear() {
    var rows: [Int64] = [1, 2]
    var stored: [Int64: Int64] = [1: gap, 2: 2 * gap]
    var written = 0
    for row in Int64(3)...202 {
      rows.insert(row, at: 1)
      let changes = SparseOrder(rows: rows, stored: stored).changes
      written += changes.count
      for (row, position) in changes { stored[row] = position }
      let result = rows.compactMap { stored[$0] }
      #expect(result == result.sorted() && Set(result).count == rows.count)
    }
    #expect(written < 2_000)
  }
}
