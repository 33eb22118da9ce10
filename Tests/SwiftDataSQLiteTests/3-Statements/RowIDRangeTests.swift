import Testing

@testable import SwiftDataSQLite

@Suite("Runs of rows")
struct RowIDRangeTests {
  private func ranges(of rowIDs: [Int64]) -> [[Int64]] {
    var ranges: [RowIDRange] = []
    for rowID in rowIDs where ranges.isEmpty || !ranges[ranges.count - 1].extend(rowID) {
      ranges.append(RowIDRange(rowID))
    }
    for range in ranges { #expect(range.count == Int((range.last - range.first).magnitude) + 1) }
    return ranges.map { [$0.first, $0.last] }
  }

  @Test("go up or down by one")
  func directions() {
    #expect(ranges(of: [1, 2, 3, 4]) == [[1, 4]])
    #expect(ranges(of: [4, 3, 2]) == [[4, 2]])
    #expect(ranges(of: [7]) == [[7, 7]])
    #expect(ranges(of: [-1, 0, 1]) == [[-1, 1]])
  }

  @Test("end where a row is left out, comes again or turns back")
  func ends() {
    #expect(ranges(of: [1, 2, 4, 5]) == [[1, 2], [4, 5]])
    #expect(ranges(of: [1, 2, 1, 2]) == [[1, 2], [1, 2]])
    #expect(ranges(of: [3, 3]) == [[3, 3], [3, 3]])
    #expect(ranges(of: [5, 4, 5, 6]) == [[5, 4], [5, 6]])
    #expect(ranges(of: [9, 1]) == [[9, 9], [1, 1]])
  }

  @Test("go as far as numbers do")
  func bounds() {
    #expect(
      ranges(of: [.max - 1, .max, .min, .min + 1]) == [[.max - 1, .max], [.min, .min + 1]])
    #expect(ranges(of: [.min + 1, .min, .max]) == [[.min + 1, .min], [.max, .max]])
  }
}
