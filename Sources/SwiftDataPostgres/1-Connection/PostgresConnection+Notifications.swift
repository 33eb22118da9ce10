import CPostgres
import SwiftDataCore
import SwiftDataSQL

/// The advisory locks of a store's announcements.
package struct AnnouncementLocks: Sendable {
  /// The lock that listeners share.
  package let listeners: Int64
  /// The lock that transactions which look for listeners share until their end.
  package let commits: Int64

  package init(listeners: Int64, commits: Int64) {
    self.listeners = listeners
    self.commits = commits
  }
}

/// Notifications of other sessions (https://www.postgresql.org/docs/15/libpq-notify.html).
extension PostgresConnection {
  /// The socket, for waiting until something arrives.
  package var socket: Int32 { PQsocket(handle) }

  /// The milliseconds for which a listener waits for the end of a transaction.
  private static let lockTimeout = 100

  /// Asks for the notifications of a channel, and takes a lock that its listeners share. A session that a pooler gives
  /// to others can't have them.
  ///
  /// - Returns: False when a transaction that has found no listener is open, which won't notify. Ask again.
  package func listen(to channel: String, with locks: AnnouncementLocks) throws -> Bool {
    do {
      try execute(
        "BEGIN; SET LOCAL lock_timeout = \(Self.lockTimeout);"
          + " SELECT pg_advisory_lock_shared(\(locks.listeners));"
          + " LISTEN \(SQLIdentifier.quoted(channel));"
          + " SELECT pg_advisory_xact_lock(\(locks.commits)); COMMIT")
    } catch let error as StoreError where error.sqlState == "55P03" {
      // The end of a transaction doesn't release the lock of the session.
      try execute("ROLLBACK; SELECT pg_advisory_unlock_shared(\(locks.listeners))")
      return false
    } catch {
      if isInTransaction { rollBack() }
      throw error
    }
    return true
  }

  /// Reads what has arrived, without waiting.
  ///
  /// - Returns: The number of notifications.
  /// - Throws: ``StoreError/Code/connectionLost``.
  package func takeNotifications() throws -> Int {
    try exclusively {
      guard PQconsumeInput(handle) == 1 else { throw error(nil, sql: nil) }
      var count = 0
      while let notification = PQnotifies(handle) {
        PQfreemem(notification)
        count += 1
      }
      guard !isLost else { throw error(nil, sql: nil) }
      return count
    }
  }

  /// A statement that notifies a channel, in a transaction of its own. That transaction isn't flushed to the disk:
  /// it is short, because the server lets only one at a time commit that notifies
  /// (PreCommit_Notify in PostgreSQL's async.c).
  package static func notice(to channel: String) -> PostgresCommand {
    PostgresCommand(
      "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, '')", [.text(channel)])
  }
}
