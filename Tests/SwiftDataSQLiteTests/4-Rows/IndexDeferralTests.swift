import SwiftDataCore
import Testing

@testable import SwiftDataSQLite

@Suite("The check whether indices can be dropped")
struct IndexDeferralTests {
  @Test(
    "is due at the minimum of rows, then at twice as many each time",
    .enabled(if: SpeedSwitches.defersIndices, "OPENSWIFTDATA_PLAIN leaves out deferred indices"))
  func doubling() {
    var deferral = IndexDeferral(isAllowed: true)
    var due: [Int] = []
    for rows in stride(from: 0, through: 40_000, by: 16) {
      deferral.newRows = rows
      if deferral.isCheckDue() { due.append(rows) }
    }
    let first = DeferredIndices.minimumRows
    #expect(due == [first, first * 2, first * 4, first * 8])
  }

  @Test(
    "isn't due when the table would become too large",
    .enabled(if: SpeedSwitches.defersIndices, "OPENSWIFTDATA_PLAIN leaves out deferred indices"))
  func limit() {
    var deferral = IndexDeferral(isAllowed: true)
    deferral.newRows = DeferredIndices.maximumRows / 2 + 1
    let isAboveDue = deferral.isCheckDue()
    #expect(!isAboveDue)
    deferral.newRows = DeferredIndices.maximumRows / 2
    let isAtLimitDue = deferral.isCheckDue()
    #expect(isAtLimitDue)
  }
}

@Suite("The outcomes of written rows")
struct WriteOutcomeTests {
  private struct Refusal: Error, Equatable { let number: Int }

  @Test("have the row's ID, or throw the error of a refused row")
  func rowID() throws {
    #expect(try WriteOutcome.inserted(1).rowID() == 1)
    #expect(try WriteOutcome.updated(2).rowID() == 2)
    #expect(try WriteOutcome.unchanged(3).rowID() == 3)
    #expect(throws: Refusal(number: 4)) { try WriteOutcome.refused(Refusal(number: 4)).rowID() }
  }

  @Test("throw the first refusal of several")
  func first() throws {
    try [WriteOutcome.inserted(1), .unchanged(0)].requireNoRefusal()
    let mixed: [WriteOutcome] = [
      .inserted(1), .refused(Refusal(number: 2)), .refused(Refusal(number: 3)),
    ]
    #expect(throws: Refusal(number: 2)) { try mixed.requireNoRefusal() }
  }
}
