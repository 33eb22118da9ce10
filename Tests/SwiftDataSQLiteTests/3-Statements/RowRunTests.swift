import Testing

@testable import SwiftDataSQLite

@Suite("Runs of rows")
struct RowRunTests {
  private func runs(of rowIDs: [Int64]) -> [[Int64]] {
    var runs: [RowRun] = []
    for rowID in rowIDs where runs.isEmpty || !runs[runs.count - 1].extend(rowID) {
      runs.append(RowRun(rowID))
    }
    for run in runs { #expect(run.count == Int((run.last - run.first).magnitude) + 1) }
    return runs.map { [$0.first, $0.last] }
  }

  @Test("go up or down by one")
  func directions() {
    #expect(runs(of: [1, 2, 3, 4]) == [[1, 4]])
    #expect(runs(of: [4, 3, 2]) == [[4, 2]])
    #expect(runs(of: [7]) == [[7, 7]])
    #expect(runs(of: [-1, 0, 1]) == [[-1, 1]])
  }

  @Test("end where a row is left out, comes again or turns back")
  func ends() {
    #expect(runs(of: [1, 2, 4, 5]) == [[1, 2], [4, 5]])
    #expect(runs(of: [1, 2, 1, 2]) == [[1, 2], [1, 2]])
    #expect(runs(of: [3, 3]) == [[3, 3], [3, 3]])
    #expect(runs(of: [5, 4, 5, 6]) == [[5, 4], [5, 6]])
    #expect(runs(of: [9, 1]) == [[9, 9], [1, 1]])
  }

  @Test("go as far as numbers do")
  func bounds() {
    #expect(runs(of: [.max - 1, .max, .min, .min + 1]) == [[.max - 1, .max], [.min, .min + 1]])
    #expect(runs(of: [.min + 1, .min, .max]) == [[.min + 1, .min], [.max, .max]])
  }
}
