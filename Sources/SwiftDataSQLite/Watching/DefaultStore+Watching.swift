import Foundation
import SwiftDataCore

extension DefaultStore {
  package var position: StorePosition? { monitor.position }

  package func lookForCommits() throws { try withReader { _ in } }

  /// Begins to watch the file for the first who listens; it ends with the store.
  func watch() {
    guard case .file(let url) = location else { return }
    // SQLite keeps the log beside the file itself, not beside a link to it.
    let file = url.resolvingSymlinksInPath()
    watcher.withLock { watcher in
      if watcher == nil {
        watcher = StoreWatcher(self, file, isReadOnly: !configuration.allowsSave)
      }
    }
  }

  /// Tells of what was committed by others: other containers and processes, and programs that don't keep the history.
  func tellOthersCommits() throws {
    while let told = monitor.untold {
      let events: [StoreHistoryEvent]
      do {
        events = try historyEvents(after: token(after: told))
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
        commits.post(
          StoreCommit(
            storeIdentifier: identifier, entities: event.entities, author: event.author,
            token: event.token))
      }
    }
    if monitor.takeUnrecorded() {
      commits.post(StoreCommit(storeIdentifier: identifier, entities: nil, author: nil))
    }
  }
}
