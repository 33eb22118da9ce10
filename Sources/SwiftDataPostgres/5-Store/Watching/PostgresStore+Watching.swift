import Foundation
import SwiftDataCore
import SwiftDataStore

extension PostgresStore: CommitTracking {
  package var position: StorePosition { monitor.position }

  package func checkForCommits() throws {
    try withConnection { try observe($0) }
  }

  /// Looks for commits of others, when reads haven't done so lately and no watcher does.
  func noticeCommits(_ connection: PostgresConnection) throws {
    if !connections.isLent, checks.isDue() { try observe(connection) }
  }

  /// Takes over the state of the store.
  func observe(_ connection: PostgresConnection) throws {
    let result = try connection.run(stateStatement)
    guard let state = StoreState(result) else {
      throw StoreError(
        .damaged, path: address, explanation: "its table _store has no row; restore it from a copy")
    }
    guard state.isOf(identifierBytes) else { throw replacement }
    monitor.observe(
      transaction: state.transaction, foreign: checks.count(state.foreign))
  }

  /// Checks that the store is still the one that was opened, and has a form that this library knows.
  ///
  /// - Parameter result: The identifier and the format.
  func checkIdentity(_ result: PostgresResult) throws {
    guard result.rowCount == 1, let identifier = result.data(0, 0),
      identifier.elementsEqual(identifierBytes)
    else { throw replacement }
    let format = result.integer(0, 1) ?? 0
    guard format != StoreTables.unfinishedFormat else {
      throw StoreError(
        .replaced, path: address,
        explanation: "another store is being copied into it; make a new container afterwards")
    }
    guard format <= StoreTables.format else {
      throw StoreError(
        .newerFormat, path: address,
        explanation: "it was migrated by a newer version of this library; update the program")
    }
  }

  private var replacement: StoreError {
    StoreError(
      .replaced, path: address,
      explanation: "another store was put in its place while it was open; make a new container")
  }

  // MARK: - Watching

  /// Starts watching for the first listener; watching ends with the store.
  func watch() {
    watcher.withLock { watcher in
      if watcher == nil { watcher = PostgresWatcher(self) }
    }
  }

  package func stopWatching() { watcher.withLock { $0 }?.stop() }

  /// Finds unreported commits by others: other containers and processes, and other programs. They count as reported
  /// afterwards.
  ///
  /// - Parameters:
  ///   - connection: The watcher's own connection.
  ///   - found: The array to which the commits are appended, including those before an error.
  func consumeForeignCommits(
    on connection: PostgresConnection, into found: inout [StoreCommit]
  ) throws {
    while let reported = monitor.lastReportedIfBehind {
      let events: [(number: Int64, isOwn: Bool, event: StoreHistoryEvent)]
      do {
        events = try connection.transaction(.reading) {
          try historyEvents(after: reported, of: connection)
        }
      } catch SwiftDataError.historyTokenExpired {
        monitor.skip()
        break
      }
      guard !events.isEmpty else {
        monitor.skip()
        break
      }
      for (number, isOwn, event) in events where monitor.markReported(number) && !isOwn {
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

  /// The number of noted transactions of other programs from which old ones are removed.
  private static let maximumForeignCount: Int64 = 1_000

  /// Removes the notes of other programs' transactions that every watcher has seen.
  func removeOldNotes(_ connection: PostgresConnection) throws {
    guard configuration.allowsSave, checks.foreignRowCount > Self.maximumForeignCount else {
      return
    }
    let hour = Date.now.timeIntervalSinceReferenceDate - 3600
    try connection.transaction {
      try connection.run("DELETE FROM \"_foreign\" WHERE at < $1", [.real(hour)])
    }
  }
}
