import Foundation
import SwiftDataCore

/// Read connections: one for each fetch that runs at the same time, kept for the next ones.
final class ConnectionPool: Sendable {
  /// More than so many idle connections are closed; it isn't a limit on how many may read.
  private static let maximalIdle = 4

  private let location: StoreLocation
  private let isReadOnly: Bool
  private let counter: StatementCounter
  /// Whether the connections take SQL from outside.
  private let isGuarded: Bool
  private let stage: MigrationStageConnection?

  /// Guards `idle` and `epoch`. A lock of POSIX threads and no `Mutex`: connections pass from thread to thread here,
  /// and the thread sanitizer knows nothing of the futexes that `Mutex` is on Linux, so it would take every such
  /// passing for a race.
  private let lock = NSLock()
  /// Connections that nobody uses.
  nonisolated(unsafe) private var idle: [Connection] = []
  /// Grows when connections that are in use aren't wanted back.
  nonisolated(unsafe) private var epoch = 0

  /// - Parameter stage: The connection of a migration, which sees what isn't committed yet; nil for all other stores.
  init(
    _ location: StoreLocation, isReadOnly: Bool, counter: StatementCounter, isGuarded: Bool = false,
    stage: MigrationStageConnection? = nil
  ) {
    self.isGuarded = isGuarded
    self.stage = stage
    self.counter = counter
    self.location = location
    self.isReadOnly = isReadOnly
  }

  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if let stage { return try body(try stage.connection) }
    let connection = try take()
    defer { give(connection) }
    return try body(connection)
  }

  private func take() throws -> Connection {
    let (taken, epoch) = lock.withLock { (idle.popLast(), self.epoch) }
    if let taken { return taken }
    let connection = try Connection(location, role: .reader, isReadOnly: isReadOnly)
    connection.counter = counter
    connection.poolEpoch = epoch
    if isGuarded { try connection.guardReading() }
    return connection
  }

  /// Closes the connections that nobody uses, and those in use when they come back.
  func closeAll() {
    // They close when the array goes, which is after the lock is free again.
    let closed = lock.withLock {
      defer { idle = [] }
      epoch += 1
      return idle
    }
    _ = closed
  }

  private func give(_ connection: Connection) {
    lock.withLock {
      guard connection.poolEpoch == epoch, idle.count < Self.maximalIdle else { return }
      idle.append(connection)
    }
  }
}
