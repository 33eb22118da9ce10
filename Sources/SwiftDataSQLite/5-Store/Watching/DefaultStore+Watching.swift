import Foundation
import SwiftDataCore
import SwiftDataStore

extension DefaultStore: CommitTracking {
  package var position: StorePosition { monitor.position }

  package func checkForCommits() throws { try withReader { _ in } }

  /// Starts watching the file for the first listener; watching ends with the store.
  func watch() {
    guard case .file(let file) = location else { return }
    SwiftDataLog.withMessagesHeld {
      tracker.watcher.withLock { watcher in
        if watcher == nil {
          watcher = StoreWatcher(self, file, isReadOnly: !configuration.allowsSave)
        }
      }
    }
  }

  /// Stops watching the file: when this returns, the watcher neither holds the store nor has the file open.
  package func stopWatching() { tracker.stopWatching() }

  /// Finds unreported commits by others: other containers and processes, and programs that don't write the history.
  /// They count as reported afterwards.
  ///
  /// - Parameters:
  ///   - connection: The watcher's own connection, so the store's reads neither wait for it nor see its transactions.
  ///   - found: The array to which the commits are appended, including those before an error.
  func consumeForeignCommits(
    on connection: Connection, into found: inout [StoreCommit]
  ) throws {
    while let reported = monitor.lastReportedIfBehind {
      let events: [StoreHistoryEvent]
      do {
        events =
          hasHistory
          ? try connection.inReadTransaction { try historyEvents(after: reported, of: connection) }
          : []
      } catch SwiftDataError.historyTokenExpired {
        monitor.skip()
        break
      }
      guard !events.isEmpty else {
        monitor.skip()
        break
      }
      for event in events {
        guard
          let number = (event.token as? DefaultHistoryToken)?.tokenValue?[identifier],
          monitor.markReported(number)
        else { continue }
        found.append(
          StoreCommit(
            storeIdentifier: identifier, entities: event.entities, author: event.author,
            token: event.token))
      }
    }
    if monitor.consumeUnrecorded() {
      found.append(StoreCommit(storeIdentifier: identifier, entities: nil, author: nil))
    }
  }
}
