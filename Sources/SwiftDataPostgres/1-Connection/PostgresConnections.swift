import Foundation
import SwiftDataCore

/// The connections of a store: those of a pool, or the one of a transaction that lends it to code inside of it.
package enum PostgresConnections: Sendable {
  case pool(PostgresConnectionPool)
  case lent(LentPostgresConnection)

  /// The server and the database, for errors.
  package var address: String {
    switch self {
    case .pool(let pool): pool.address
    case .lent(let lent): lent.address
    }
  }

  package var isLent: Bool {
    if case .lent = self { true } else { false }
  }

  package func close() {
    if case .pool(let pool) = self { pool.close() }
  }

  /// Calls `body` with a connection that nobody else uses meanwhile, and with the schema in which it finds tables.
  package func withConnection<Result>(
    schema: String, _ body: (PostgresConnection) throws -> Result
  ) throws -> Result {
    switch self {
    case .pool(let pool):
      return try pool.withConnection { connection in
        try connection.use(schema: schema)
        return try body(connection)
      }
    case .lent(let lent): return try lent.withConnection(body)
    }
  }
}

/// The connection of an open transaction, for code that runs inside of it: a migration's stage, or the evaluation of a
/// predicate in memory. It can't be used when the transaction has ended.
package final class LentPostgresConnection: Sendable {
  /// The server and the database, for errors.
  package let address: String
  /// Recursive, because code that is given rows may ask for more of them.
  private let lock = NSRecursiveLock()
  nonisolated(unsafe) private var connection: PostgresConnection?

  package init(_ connection: PostgresConnection) {
    self.connection = connection
    address = connection.address
  }

  package func end() { lock.withLock { connection = nil } }

  func withConnection<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
    lock.lock()
    defer { lock.unlock() }
    guard let connection else {
      throw StoreError(
        .other, path: address,
        explanation: "the transaction that this context belongs to has ended; use another context")
    }
    return try body(connection)
  }
}
