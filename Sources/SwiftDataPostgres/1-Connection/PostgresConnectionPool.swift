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
  /// Guards `idle`, `isClosed` and `uses`; an `NSLock` because connections pass from thread to thread here, see
  /// SQLite's pool.
  private let lock = NSLock()
  nonisolated(unsafe) private var idle: [PostgresConnection] = []
  nonisolated(unsafe) private var isClosed = false
  /// The number of connections that each thread uses in calls of ``withConnection(_:)``.
  nonisolated(unsafe) private var uses: [pthread_t: Int] = [:]

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
    let connection = try take()
    count(1)
    defer {
      count(-1)
      giveBack(connection)
    }
    return try body(connection)
  }

  private func count(_ difference: Int) {
    let thread = pthread_self()
    lock.withLock {
      let number = uses[thread, default: 0] + difference
      uses[thread] = number == 0 ? nil : number
    }
  }

  /// Whether the thread that asks for a connection would wait for itself.
  private var isWaitFutile: Bool { lock.withLock { uses[pthread_self()] ?? 0 } >= maximumCount }

  /// Returns a connection that nobody else uses until ``giveBack(_:)``.
  package func take() throws -> PostgresConnection {
    let isFutile = isWaitFutile
    guard permits.wait(timeout: .now() + (isFutile ? 0 : acquisitionTimeout)) == .success else {
      throw StoreError(
        .tooManyConnections, path: address,
        explanation: isFutile
          ? "code that was called with rows asks for more rows, more than \(maximumCount) calls deep;"
            + " use the rows after the call, or permit more connections"
          : "all \(maximumCount) connections of this program were in use for \(acquisitionTimeout)"
            + " seconds; use them for a shorter time, or permit more")
    }
    do { return try checkOut() } catch {
      permits.signal()
      throw error
    }
  }

  /// Gives a connection back, without the transaction that it may have.
  package func giveBack(_ connection: PostgresConnection) {
    checkIn(connection)
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

  private func checkOut() throws -> PostgresConnection {
    while let kept = lock.withLock({ idle.popLast() }) {
      if kept.isUsable { return kept }
    }
    return try PostgresConnection(options)
  }

  private func checkIn(_ connection: PostgresConnection) {
    if connection.isInTransaction { connection.rollBackAll() }
    guard !connection.isLost, !connection.isInTransaction else { return }
    lock.withLock {
      if !isClosed { idle.append(connection) }
    }
  }
}
