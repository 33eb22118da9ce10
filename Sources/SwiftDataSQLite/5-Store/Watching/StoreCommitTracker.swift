import SwiftDataCore
import SwiftDataStore
import Synchronization

/// The commits to a store, by this process and others: those that are known, and those who are told of them.
final class StoreCommitTracker: Sendable {
  /// The known commits.
  let monitor: CommitMonitor
  let commits = StoreCommits()
  /// Whether the file has a history; a read-only file may be older.
  let hasHistory: Bool
  /// Watches the file for others' commits, once there is a listener.
  let watcher = Mutex<StoreWatcher?>(nil)
  private let storeIdentifier: String

  init(_ monitor: CommitMonitor, hasHistory: Bool, storeIdentifier: String) {
    self.monitor = monitor
    self.hasHistory = hasHistory
    self.storeIdentifier = storeIdentifier
  }

  /// Checks whether another process has committed. If the index of the write-ahead log shows no commit, the check needs
  /// no transaction.
  func check(_ connection: Connection, _ mark: LogCommit?) throws {
    if let mark, mark == connection.reading.observedCommit { return }
    let version = try connection.integer("PRAGMA data_version") ?? 0
    if version != connection.reading.dataVersion {
      // A state that can't be read is tried again by the next call.
      try observe(connection)
      connection.reading.dataVersion = version
    }
    connection.reading.observedCommit = mark
  }

  /// Takes over the state of the file that a connection sees.
  func observe(_ connection: Connection, isByWatcher: Bool = false) throws {
    monitor.observe(
      try connection.commitState(hasHistory: hasHistory), isByWatcher: isByWatcher)
  }

  /// Counts a commit and posts it. Call it when the write connection is free again.
  func recordCommit(_ written: HistoryRecorder.RecordedTransaction?, author: String?) {
    _ = monitor.recordOwnCommit(written?.number)
    if let written { post(written, author: author) }
  }

  /// Counts a context's commit and posts it, immediately or when all stores that were saved together have committed.
  ///
  /// - Returns: The generation after the commit.
  func recordCommit(
    _ written: HistoryRecorder.RecordedTransaction?, of changes: StoreChanges
  ) -> UInt64 {
    let generation = monitor.recordOwnCommit(written?.number)
    if let written {
      let context = changes.editingState.id
      changes.afterCommit { self.post(written, author: changes.author, context: context) }
    }
    return generation
  }

  private func post(
    _ written: HistoryRecorder.RecordedTransaction, author: String?, context: EditingState.ID? = nil
  ) {
    commits.post(
      StoreCommit(
        storeIdentifier: storeIdentifier, entities: written.entities, author: author,
        token: token(after: written.number), context: context))
  }

  func token(after number: Int64) -> DefaultHistoryToken {
    DefaultHistoryToken(store: storeIdentifier, transaction: number)
  }

  /// Stops watching the file: when this returns, the watcher neither holds the store nor has the file open.
  func stopWatching() { watcher.withLock { $0 }?.stop() }
}
