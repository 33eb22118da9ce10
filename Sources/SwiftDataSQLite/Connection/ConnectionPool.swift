import Dispatch
import Foundation
import SwiftDataCore

/// Read connections: one for each fetch that runs at the same time, kept for the next ones.
final class ConnectionPool: Sendable {
  /// More than so many idle connections are closed; it isn't a limit on how many may read.
  private static let maximalIdle = 4

  private let location: StoreLocation
  private let isReadOnly: Bool
  private let memory: StoreMemory
  private let counter: StatementCounter
  /// Whether the connections take SQL from outside.
  private let isGuarded: Bool
  private let stage: MigrationStageConnection?
  /// The store's files; nil in memory and for a stage.
  private let files: StoreFiles?

  /// Guards `idle` and `epoch`. A lock of POSIX threads and no `Mutex`: connections pass from thread to thread here,
  /// and the thread sanitizer knows nothing of the futexes that `Mutex` is on Linux, so it would take every such
  /// passing for a race.
  private let lock = NSLock()
  /// Connections that nobody uses.
  nonisolated(unsafe) private var idle: [Connection] = []
  /// Grows when connections that are in use aren't wanted back.
  nonisolated(unsafe) private var epoch = 0
  /// Whether somebody will look for read transactions that nobody goes on with.
  nonisolated(unsafe) private var isLetGoScheduled = false
  /// The most that the span is doubled while reads go on: looking wakes a thread up.
  private static let mostDoublings = 3
  /// How long a read transaction waits for the next read, see ``Connection/continueReading(_:within:)``, in
  /// nanoseconds.
  nonisolated(unsafe) private var span: UInt64 = 2_000_000

  /// - Parameter stage: The connection of a migration, which sees what isn't committed yet; nil for all other stores.
  init(
    _ location: StoreLocation, isReadOnly: Bool, memory: StoreMemory, counter: StatementCounter,
    isGuarded: Bool = false, stage: MigrationStageConnection? = nil, files: StoreFiles? = nil
  ) {
    self.files = files
    self.memory = memory
    self.isGuarded = isGuarded
    self.stage = stage
    self.counter = counter
    self.location = location
    self.isReadOnly = isReadOnly
  }

  func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try withConnection { connection, _ in try body(connection) }
  }

  /// As ``withConnection(_:)``, with how long a read transaction waits for the next read, in nanoseconds.
  func withConnection<Result>(_ body: (Connection, UInt64) throws -> Result) throws -> Result {
    if let stage { return try body(try stage.connection, 0) }
    let (connection, span) = try take()
    let result: Result
    do { result = try body(connection, span) } catch {
      // Zeros in the place of pages may be the cause of any error. Such a connection isn't used again.
      try connection.checkMapping()
      give(connection)
      throw error
    }
    try connection.checkMapping()
    give(connection)
    return result
  }

  private func take() throws -> (Connection, UInt64) {
    var (taken, epoch, span) = lock.withLock { (idle.popLast(), self.epoch, self.span) }
    while let connection = taken {
      // Before a read transaction begins, so that it isn't one of a file that another one has replaced.
      let isCurrent = try connection.heldCommit != nil || files?.isCurrent(connection) ?? true
      if isCurrent { return (connection, span) }
      (taken, epoch) = lock.withLock { (idle.popLast(), self.epoch) }
    }
    let connection = try open()
    connection.counter = counter
    connection.poolEpoch = epoch
    if isGuarded { try connection.guardReading() }
    return (connection, span)
  }

  private func open() throws -> Connection {
    func make() throws -> Connection {
      try Connection(
        location, role: .reader, isReadOnly: isReadOnly, memory: memory, mapsFile: true)
    }
    return try files?.open(make) ?? make()
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
      if connection.heldCommit != nil, !isLetGoScheduled { scheduleLettingGo(doublings: 0) }
    }
  }

  // MARK: - Read transactions that stay open

  var readingSpan: UInt64 {
    get { lock.withLock { span } }
    set { lock.withLock { span = newValue } }
  }

  /// Ends the read transactions that connections wait in, before something is written: they would keep the write-ahead
  /// log from beginning anew.
  func letGo() { lock.withLock { for connection in idle { connection.letGo() } } }

  /// How many connections wait in a read transaction.
  var heldCount: Int { lock.withLock { idle.count { $0.heldCommit != nil } } }

  /// Under the lock.
  ///
  /// - Parameter doublings: How often the span is doubled until then.
  private func scheduleLettingGo(doublings: Int) {
    isLetGoScheduled = true
    let delay = DispatchTimeInterval.nanoseconds(Int(clamping: span << UInt64(doublings)))
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay) { [weak self] in
      self?.letGoOfUnused(doublings: doublings)
    }
  }

  private func letGoOfUnused(doublings: Int) {
    lock.withLock {
      isLetGoScheduled = false
      let now = DispatchTime.now().uptimeNanoseconds
      for connection in idle where now &- connection.lastReading >= span { connection.letGo() }
      if idle.contains(where: { $0.heldCommit != nil }) {
        scheduleLettingGo(doublings: min(doublings + 1, Self.mostDoublings))
      }
    }
  }
}
