import Foundation
import SwiftDataCore

extension DefaultStore {
  package var position: StorePosition? { monitor.position }

  package func lookForCommits() throws { try withReader { _ in } }

  /// Begins to watch the file for the first who listens; it ends with the store.
  func watch() {
    guard case .file(let file) = location else { return }
    watcher.withLock { watcher in
      if watcher == nil {
        watcher = StoreWatcher(self, file, isReadOnly: !configuration.allowsSave)
      }
    }
  }

  /// Ends watching the file: nothing of it holds the store or has the file open when this returns.
  package func stopWatching() { watcher.withLock { $0 }?.stop() }

  /// Finds what was committed by others and wasn't told of: other containers and processes, and programs that don't keep
  /// the history. It counts as told then.
  ///
  /// - Parameters:
  ///   - connection: The watcher's own: the store's reads neither wait for it nor see anything of it.
  ///   - found: Takes the commits, those before an error too.
  func takeOthersCommits(
    on connection: Connection, into found: inout [StoreCommit]
  ) throws {
    while let told = monitor.untold {
      let events: [StoreHistoryEvent]
      do {
        events =
          hasHistory
          ? try connection.atOneMoment { try historyEvents(after: told, of: connection) } : []
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
          monitor.takeTransaction(number)
        else { continue }
        found.append(
          StoreCommit(
            storeIdentifier: identifier, entities: event.entities, author: event.author,
            token: event.token))
      }
    }
    if monitor.takeUnrecorded() {
      found.append(StoreCommit(storeIdentifier: identifier, entities: nil, author: nil))
    }
  }
}
