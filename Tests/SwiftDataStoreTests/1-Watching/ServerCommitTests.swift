import SwiftDataCore
import Testing

@testable import SwiftDataStore

@Suite("Commits that a server counts")
struct ServerCommitTests {
  private let monitor = CommitMonitor()

  init() { monitor.observe(transaction: 3, foreign: 1) }

  private var isUnrecorded: Bool { monitor.position.unrecorded > 0 }

  @Test("are those after the first check")
  func beginning() {
    #expect(monitor.position == StorePosition(generation: 1, transaction: 3, unrecorded: 0))
    monitor.observe(transaction: 3, foreign: 1)
    #expect(monitor.position.generation == 1)
    monitor.observe(transaction: 5, foreign: 1)
    #expect(monitor.position == StorePosition(generation: 2, transaction: 5, unrecorded: 0))
    monitor.observe(transaction: 5, foreign: 2)
    #expect(monitor.position == StorePosition(generation: 3, transaction: 5, unrecorded: 1))
  }

  @Test("aren't taken back by a check that another one, or an own commit, has overtaken")
  func order() {
    monitor.observe(transaction: 6, foreign: 2)
    let position = monitor.position
    monitor.observe(transaction: 4, foreign: 1)
    #expect(monitor.position == position)
    _ = monitor.recordOwnCommit(7)
    monitor.observe(transaction: 6, foreign: 2)
    #expect(monitor.position.transaction == 7)
  }

  @Test("of the store itself needn't be read, unless others come before them")
  func ownReports() {
    monitor.beginReporting()
    _ = monitor.recordOwnCommit(4)
    monitor.recordOwnReport(4)
    #expect(monitor.lastReportedIfBehind == nil && !monitor.markReported(4))
    _ = monitor.recordOwnCommit(6)
    monitor.recordOwnReport(6)
    #expect(monitor.lastReportedIfBehind == 4)
    #expect(monitor.markReported(5))
  }

  @Test("that nobody can name are reported once")
  func unknown() {
    monitor.beginReporting()
    #expect(!monitor.consumeUnrecorded())
    monitor.recordUnknown()
    #expect(monitor.consumeUnrecorded() && !monitor.consumeUnrecorded())
    #expect(isUnrecorded && monitor.position.generation == 2)
  }
}
