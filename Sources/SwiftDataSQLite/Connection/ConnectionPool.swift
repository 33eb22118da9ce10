import SwiftDataCore
import Synchronization

/// Read connections: one for each fetch that runs at the same time, kept for the next ones.
final class ConnectionPool: Sendable {
  /// More than so many idle connections are closed; it isn't a limit on how many may read.
  private static let maximalIdle = 4

  private let location: StoreLocation
  private let isReadOnly: Bool
  private let counter: StatementCounter
  /// Whether the connections take SQL from outside.
  private let isGuarded: Bool
  private let idle = Mutex(Idle())
  private let stage: MigrationStageConnection?

  private struct Idle: ~Copyable, @unchecked Sendable {
    // Unchecked: a connection in here is used by nobody, and leaves under the lock.
    var connections: [Connection] = []
    /// Grows when connections that are in use aren't wanted back.
    var epoch = 0
  }

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
    nonisolated(unsafe) var taken: Connection?
    let epoch = idle.withLock { idle in
      taken = idle.connections.popLast()
      return idle.epoch
    }
    if let taken { return taken }
    let connection = try Connection(location, role: .reader, isReadOnly: isReadOnly)
    connection.counter = counter
    connection.poolEpoch = epoch
    if isGuarded { try connection.guardReading() }
    return connection
  }

  /// Closes the connections that nobody uses, and those in use when they come back.
  func closeAll() {
    nonisolated(unsafe) var closed: [Connection] = []
    idle.withLock { idle in
      closed = idle.connections
      idle.epoch += 1
      idle.connections = []
    }
    closed.removeAll()
  }

  private func give(_ connection: Connection) {
    nonisolated(unsafe) let given = connection
    idle.withLock { idle in
      guard given.poolEpoch == idle.epoch else { return }
      if idle.connections.count < Self.maximalIdle { idle.connections.append(given) }
    }
  }
}
