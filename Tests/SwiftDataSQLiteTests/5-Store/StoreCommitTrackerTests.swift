import SwiftDataStore
import Synchronization
import Testing

@testable import SwiftDataCore
@testable import SwiftDataSQLite

@Suite("Tracking of a store's commits") struct StoreCommitTrackerTests {
  private let tracker = StoreCommitTracker(
    CommitMonitor(), hasHistory: true, storeIdentifier: "store")
  private let written = HistoryRecorder.RecordedTransaction(
    number: 5, entities: ["Book"], deleted: [:])

  @Test("A commit that isn't in the history counts, and nobody is told")
  func unrecorded() {
    let posted = Mutex(0)
    let subscription = tracker.commits.subscribe { _ in posted.withLock { $0 += 1 } }
    let before = tracker.monitor.position.generation
    tracker.recordCommit(nil, author: nil)
    #expect(tracker.monitor.position.generation == before + 1)
    #expect(posted.withLock { $0 } == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test("A recorded commit is posted with its author and the token after it") func recorded() {
    let posted = Mutex<[StoreCommit]>([])
    let subscription = tracker.commits.subscribe { commit in
      posted.withLock { $0.append(commit) }
    }
    tracker.recordCommit(written, author: "import")
    let commits = posted.withLock { $0 }
    #expect(commits.map(\.author) == ["import"])
    #expect(commits.map(\.entities) == [["Book"]])
    #expect((commits.first?.token as? DefaultHistoryToken)?.tokenValue == ["store": 5])
    #expect(tracker.monitor.position.transaction == 5)
    withExtendedLifetime(subscription) {}
  }

  @Test("A context's commit waits for the other stores of its save") func joint() {
    let posted = Mutex<[EditingState.ID?]>([])
    let subscription = tracker.commits.subscribe { commit in
      posted.withLock { $0.append(commit.context) }
    }
    var changes = StoreChanges()
    changes.editingState = EditingState()
    changes.joint = JointSave(stores: ["store"])
    let generation = tracker.recordCommit(written, of: changes)
    #expect(generation == tracker.monitor.position.generation)
    #expect(posted.withLock { $0 }.isEmpty)
    changes.joint = nil
    _ = tracker.recordCommit(written, of: changes)
    #expect(posted.withLock { $0 } == [changes.editingState.id])
    withExtendedLifetime(subscription) {}
  }
}
