import Testing

@testable import SwiftDataPostgres

@Suite("Counts of the commits of other programs")
struct CommitChecksTests {
  private func mark(_ sum: Int64, _ last: Int64) -> CommitProgress.Foreign {
    CommitProgress.Foreign(sum: sum, last: last)
  }

  @Test("grow with late and with later ones, and not by checks that others have overtaken")
  func overtaken() {
    let checks = CommitChecks(store: "checks")
    // The transactions 1 and 3, then also 2.
    #expect(checks.count(mark(4, 3)) == 0)
    #expect(checks.count(mark(6, 3)) == 1)
    #expect(checks.count(mark(4, 3)) == 1)
    #expect(checks.foreign == mark(6, 3))
    #expect(checks.count(mark(6, 3)) == 1)
    #expect(checks.count(mark(10, 4)) == 2)
    #expect(checks.count(mark(6, 3)) == 2)
    // Of the last ones, those before may have left the sum.
    #expect(checks.count(mark(9, 5)) == 3)
    #expect(checks.foreign == mark(9, 5))
  }
}
