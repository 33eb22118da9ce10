import Dispatch
import Foundation
import SwiftDataCore

/// The connections of a process to one database: at most a fixed number, made when they are needed and kept until
/// nobody has used them for a while.
package final class PostgresConnectionPool: Sendable {
  /// A connection that isn't in use.
  private struct Idle {
    let connection: PostgresConnection
    /// The time since which it isn't, in nanoseconds.
    let since: UInt64
  }

  /// The longest time after which unused connections are closed, in seconds: some three years.
  private static let longestIdleTimeout: Double = 100_000_000

  private let options: PostgresConnectionOptions
  /// The maximum number of connections.
  package let maximumCount: Int
  /// The seconds that a caller waits for a connection.
  package let acquisitionTimeout: Double
  /// The nanoseconds after which an unused connection is closed; 0 for never.
  private let idleTimeout: UInt64

  /// Called when a connection was made, and when one is given back that was lost: the server may have crashed since the
  /// last call.
  private let whenSessionsChange: @Sendable () -> Void

  /// Counts the connections that may still be taken.
  private let permits: DispatchSemaphore
  /// Guards the variables below; an `NSLock` because connections pass from thread to thread here, see
  /// SQLite's pool.
  private let lock = NSLock()
  /// The connections that aren't in use, from the one that nobody has used for the longest time on.
  nonisolated(unsafe) private var idle: [Idle] = []
  /// Whether unused connections are going to be looked for.
  nonisolated(unsafe) private var isLookPlanned = false
  nonisolated(unsafe) private var isClosed = false
  /// The threads in calls of ``withConnection(_:)``, once for each call.
  nonisolated(unsafe) private var users: [pthread_t] = []

  /// - Parameters:
  ///   - acquisitionTimeout: The seconds that a caller waits for a connection.
  ///   - idleTimeout: The seconds after which an unused connection is closed; 0 for never.
  ///   - whenSessionsChange: Called when a connection was made, before its first use, and when one is given back that
  ///     was lost: the server may have crashed since the last call.
  package init(
    _ options: PostgresConnectionOptions, maximumCount: Int = 8, acquisitionTimeout: Double = 5,
    idleTimeout: Double = 60, whenSessionsChange: @escaping @Sendable () -> Void = {}
  ) {
    self.options = options
    self.whenSessionsChange = whenSessionsChange
    self.maximumCount = max(1, maximumCount)
    self.acquisitionTimeout = max(0, acquisitionTimeout)
    self.idleTimeout = UInt64(max(0, min(idleTimeout, Self.longestIdleTimeout)) * 1e9)
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
        return idle.popLast()?.connection
      }
    }
    while let kept = takeIdle() {
      if kept.isUsable { return kept }
    }
    do {
      let made = try PostgresConnection(options)
      whenSessionsChange()
      return made
    } catch {
      lock.withLock { removeUser(thread) }
      throw error
    }
  }

  private func checkIn(_ connection: PostgresConnection, of thread: pthread_t?) {
    if connection.isInTransaction { connection.rollBackAll() }
    let isLost = connection.isLost
    if isLost { whenSessionsChange() }
    let isKept = !isLost && !connection.isInTransaction
    let now = DispatchTime.now().uptimeNanoseconds
    let mustPlan = lock.withLock {
      removeUser(thread)
      guard isKept, !isClosed else { return false }
      idle.append(Idle(connection: connection, since: now))
      guard idleTimeout > 0, !isLookPlanned else { return false }
      isLookPlanned = true
      return true
    }
    if mustPlan { planLook(in: idleTimeout) }
  }

  // MARK: - Unused connections

  private func planLook(in nanoseconds: UInt64) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) {
      [weak self] in self?.closeUnused()
    }
  }

  /// Closes the connections that nobody has used for the time of the pool, and plans the next look.
  private func closeUnused() {
    let now = DispatchTime.now().uptimeNanoseconds
    let (unused, next) = lock.withLock {
      // A time taken by another thread may be a little later than now.
      let count = idle.prefix { $0.since &+ idleTimeout <= now }.count
      let unused = Array(idle.prefix(count))
      idle.removeFirst(count)
      isLookPlanned = !idle.isEmpty
      return (unused, idle.first.map { $0.since &+ idleTimeout &- now })
    }
    // The connections end outside of the lock.
    withExtendedLifetime(unused) {}
    if let next { planLook(in: next) }
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
