import Dispatch
import Foundation
import SwiftDataCore

/// The connections of a process to one database: at most a fixed number, made when they are needed and kept.
package final class PostgresConnectionPool: Sendable {
  private let options: PostgresConnectionOptions
  /// The maximum number of connections.
  package let maximumCount: Int
  /// The seconds that a caller waits for a connection.
  package let acquisitionTimeout: Double

  /// Counts the connections that may still be taken.
  private let permits: DispatchSemaphore
  /// Guards `idle`, `isClosed` and `users`; an `NSLock` because connections pass from thread to thread here, see
  /// SQLite's pool.
  private let lock = NSLock()
  nonisolated(unsafe) private var idle: [PostgresConnection] = []
  nonisolated(unsafe) private var isClosed = false
  /// The threads in calls of ``withConnection(_:)``, once for each call.
  nonisolated(unsafe) private var users: [pthread_t] = []

  package init(
    _ options: PostgresConnectionOptions, maximumCount: Int = 8, acquisitionTimeout: Double = 5
  ) {
    self.options = options
    self.maximumCount = max(1, maximumCount)
    self.acquisitionTimeout = max(0, acquisitionTimeout)
    permits = DispatchSemaphore(value: self.maximumCount)
  }

  /// The server and the database, for errors.
  package var address: String { options.url.description }

  /// The number of connections that are open and not in use.
  package var idleCount: Int { lock.withLock { idle.count } }

  /// Calls `body` with a connection that nobody else uses meanwhile.
  ///
  /// - Throws: ``StoreError/Code/tooManyConnections`` when none becomes free in time, and the errors of a connection
  ///   that can't be made.
  @discardableResult
  package func withConnection<Result>(
    _ body: (PostgresConnection) throws -> Result
  ) throws -> Result {
    let thread = pthread_self()
    let connection = try take(for: thread)
    defer {
      checkIn(connection, of: thread)
      permits.signal()
    }
    return try body(connection)
  }

  /// Whether the thread that asks for a connection would wait for itself.
  private var isWaitFutile: Bool {
    let thread = pthread_self()
    return lock.withLock { users.count { pthread_equal($0, thread) != 0 } } >= maximumCount
  }

  /// Returns a connection that nobody else uses until ``giveBack(_:)``.
  package func take() throws -> PostgresConnection { try take(for: nil) }

  private func take(for thread: pthread_t?) throws -> PostgresConnection {
    if permits.wait(timeout: .now()) != .success { try waitForPermit() }
    do { return try checkOut(thread) } catch {
      permits.signal()
      throw error
    }
  }

  private func waitForPermit() throws {
    let isFutile = isWaitFutile
    guard !isFutile, permits.wait(timeout: .now() + acquisitionTimeout) == .success else {
      throw StoreError(
        .tooManyConnections, path: address,
        explanation: isFutile
          ? "code that was called with rows asks for more rows, more than \(maximumCount) calls deep;"
            + " use the rows after the call, or permit more connections"
          : "all \(maximumCount) connections of this program were in use for \(acquisitionTimeout)"
            + " seconds; use them for a shorter time, or permit more")
    }
  }

  /// Gives a connection back, without the transaction that it may have.
  package func giveBack(_ connection: PostgresConnection) {
    checkIn(connection, of: nil)
    permits.signal()
  }

  /// Closes the connections that aren't in use, and the others when they are given back.
  package func close() {
    let closed = lock.withLock {
      isClosed = true
      defer { idle = [] }
      return idle
    }
    // The connections end outside of the lock.
    withExtendedLifetime(closed) {}
  }

  /// - Parameter thread: The thread that is counted among the users until the connection is given back.
  private func checkOut(_ thread: pthread_t?) throws -> PostgresConnection {
    var isCounted = false
    func takeIdle() -> PostgresConnection? {
      lock.withLock {
        if let thread, !isCounted { users.append(thread) }
        isCounted = true
        return idle.popLast()
      }
    }
    while let kept = takeIdle() {
      if kept.isUsable { return kept }
    }
    do { return try PostgresConnection(options) } catch {
      lock.withLock { removeUser(thread) }
      throw error
    }
  }

  private func checkIn(_ connection: PostgresConnection, of thread: pthread_t?) {
    if connection.isInTransaction { connection.rollBackAll() }
    let isKept = !connection.isLost && !connection.isInTransaction
    lock.withLock {
      removeUser(thread)
      if isKept, !isClosed { idle.append(connection) }
    }
  }

  /// Call it while holding the lock.
  private func removeUser(_ thread: pthread_t?) {
    guard let thread,
      let place = users.lastIndex(where: { pthread_equal($0, thread) != 0 })
    else { return }
    users.swapAt(place, users.count - 1)
    users.removeLast()
  }
}
