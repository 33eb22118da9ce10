import CPostgres
import SwiftDataCore
import SwiftDataSQL

/// Notifications of other sessions (https://www.postgresql.org/docs/15/libpq-notify.html).
extension PostgresConnection {
  /// The socket, for waiting until something arrives.
  package var socket: Int32 { PQsocket(handle) }

  /// Asks for the notifications of a channel. A session that a pooler gives to others can't have them.
  package func listen(to channel: String) throws {
    try execute("LISTEN \(SQLIdentifier.quoted(channel))")
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
