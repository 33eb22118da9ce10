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
    guard !connections.isLent, checks.isDue() else { return }
    try observe(connection)
    removeOldNotes(connection)
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
    SwiftDataLog.withMessagesHeld {
      watcher.withLock { watcher in
        if watcher == nil { watcher = PostgresWatcher(self) }
      }
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

  /// The seconds for which notes are kept: any watcher looks sooner.
  private static let noteAge = 300
  /// The number of notes that are removed at once.
  private static let removedCount = 10_000

  /// Removes notes of other programs' transactions that every watcher has seen, now and then. Those by which a state is
  /// compared with a later one stay. A failure is only reported.
  func removeOldNotes(_ connection: PostgresConnection) {
    guard configuration.allowsSave, checks.isRemovalDue() else { return }
    do {
      let removed = try connection.transaction {
        try connection.run(
          "DELETE FROM \"_foreign\" WHERE id IN (SELECT id FROM \"_foreign\" WHERE id <"
            + " (SELECT min(id) FROM (\(StoreState.lastNotes(in: "\"_foreign\""))) AS n)"
            + " AND at < extract(epoch FROM clock_timestamp()) - 978307200 - \(Self.noteAge)"
            + " ORDER BY id LIMIT \(Self.removedCount))")
      }
      if removed.changedCount >= Self.removedCount { checks.expectRemoval() }
    } catch {
      SwiftDataLog.report(.warning, "Postgres", "old notes of commits couldn't be deleted", error)
    }
  }
}
