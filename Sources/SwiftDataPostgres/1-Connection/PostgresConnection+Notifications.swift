import CPostgres
import SwiftDataCore
import SwiftDataSQL

/// Notifications of other sessions (https://www.postgresql.org/docs/15/libpq-notify.html).
extension PostgresConnection {
  /// The socket, for waiting until something arrives.
  package var socket: Int32 { PQsocket(handle) }

  /// The milliseconds for which a listener waits for the end of a transaction.
  private static let lockTimeout = 100

  /// Asks for the notifications of a channel, and takes a lock that its listeners share. A session that a pooler gives to
  /// others can't have them.
  ///
  /// - Returns: False when a transaction holds the lock, which may not notify. Ask again.
  package func listen(to channel: String, sharing lock: Int64) throws -> Bool {
    do {
      try execute(
        "BEGIN; SET LOCAL lock_timeout = \(Self.lockTimeout);"
          + " SELECT pg_advisory_lock_shared(\(lock));"
          + " LISTEN \(SQLIdentifier.quoted(channel)); COMMIT")
    } catch let error as StoreError where error.sqlState == "55P03" {
      try execute("ROLLBACK")
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
