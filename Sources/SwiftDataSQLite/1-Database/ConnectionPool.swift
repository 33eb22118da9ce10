import CSQLite
import Dispatch
import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Read connections: one for each fetch that runs at the same time, kept for the next ones.
final class ConnectionPool: Sendable {
  /// The maximum number of idle connections: more are closed. The number of connections in use is not limited.
  private static let maximumIdleCount = 4

  private let location: StoreLocation
  private let isReadOnly: Bool
  private let memory: StoreMemory
  private let counter: StatementCounter
  /// Whether the connections run SQL from outside the framework.
  private let isGuarded: Bool
  private let stage: MigrationStageConnection?
  /// The store's files; nil in memory and for a stage.
  private let files: StoreFiles?
  /// Makes the guard that tells whether a statement failed because another program has changed the tables.
  private let makeGuard: @Sendable () -> (any TransactionGuard)?

  /// Guards `idle` and `epoch`. An `NSLock` on POSIX threads instead of a `Mutex`: connections pass from thread to
  /// thread here, and the thread sanitizer doesn't know the futexes that `Mutex` uses on Linux, so it would report each
  /// handover as a race.
  private let lock = NSLock()
  /// Connections that are not in use.
  @exclusivity(unchecked) nonisolated(unsafe) private var idle: [Connection] = []
  /// Incremented when connections in use should not return to the pool.
  @exclusivity(unchecked) nonisolated(unsafe) private var epoch = 0
  /// Whether a task is scheduled that ends read transactions without further reads.
  @exclusivity(unchecked) nonisolated(unsafe) private var isEndScheduled = false
  /// The maximum number of times that the span is doubled while reads go on: each check wakes a thread.
  private static let maximumDoublings = 3
  /// The time that a read transaction waits for the next read, see ``Connection/continueReading(_:within:)``, in
  /// nanoseconds; 0 where none waits.
  @exclusivity(unchecked) nonisolated(unsafe) private var span: UInt64 =
    SpeedSwitches.sharesReads ? 2_000_000 : 0

  /// - Parameter stage: The connection of a migration, which sees uncommitted changes; nil for all other stores.
  init(
    _ location: StoreLocation, isReadOnly: Bool, memory: StoreMemory, counter: StatementCounter,
    isGuarded: Bool = false, stage: MigrationStageConnection? = nil, files: StoreFiles? = nil,
    makeGuard: @escaping @Sendable () -> (any TransactionGuard)? = { nil }
  ) {
    self.files = files
    self.makeGuard = makeGuard
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

  /// Does the same as ``withConnection(_:)``, and passes the time that a read transaction waits for the next read, in
  /// nanoseconds.
  func withConnection<Result>(_ body: (Connection, UInt64) throws -> Result) throws -> Result {
    if let stage { return try body(try stage.connection, 0) }
    let (connection, span) = try checkOut()
    let result: Result
    do { result = try body(connection, span) } catch {
      // Zeros in place of missing pages may be the cause of any error. Such a connection isn't used again.
      try connection.checkMapping()
      defer { checkIn(connection) }
      if (error as? StoreError)?.resultCode == SQLITE_ERROR {
        try connection.schemaGuard?.check(connection)
      }
      throw error
    }
    try connection.checkMapping()
    checkIn(connection)
    return result
  }

  private func checkOut() throws -> (Connection, UInt64) {
    var (taken, epoch, span) = lock.withLock { (idle.popLast(), self.epoch, self.span) }
    while let connection = taken {
      // Checked before a read transaction begins, so that it doesn't read a file that another file has replaced.
      let isCurrent =
        try connection.reading.openCommit != nil || files?.isCurrent(connection) ?? true
      if isCurrent { return (connection, span) }
      (taken, epoch) = lock.withLock { (idle.popLast(), self.epoch) }
    }
    let connection = try open()
    connection.counter = counter
    connection.schemaGuard = makeGuard()
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

  /// Closes the idle connections, and those in use when they are returned.
  func closeAll() {
    // They are closed when the array is released, after the lock has been released.
    let closed = lock.withLock {
      defer { idle = [] }
      epoch += 1
      return idle
    }
    _ = closed
  }

  private func checkIn(_ connection: Connection) {
    lock.withLock {
      guard connection.poolEpoch == epoch, idle.count < Self.maximumIdleCount else { return }
      idle.append(connection)
      if connection.reading.openCommit != nil, !isEndScheduled {
        scheduleEndOfReadTransactions(doublings: 0)
      }
    }
  }

  // MARK: - Read transactions that stay open

  var readingSpan: UInt64 {
    get { lock.withLock { span } }
    set { lock.withLock { span = newValue } }
  }

  /// Ends the read transactions in which idle connections wait, before a write: they would keep the write-ahead log
  /// from restarting.
  func endReadTransactions() {
    lock.withLock { for connection in idle { connection.endReadTransaction() } }
  }

  /// The number of connections that wait in a read transaction.
  var openReadCount: Int { lock.withLock { idle.count { $0.reading.openCommit != nil } } }

  /// Schedules the end of unused read transactions. Call it while holding the lock.
  ///
  /// - Parameter doublings: The number of times the span is doubled before then.
  private func scheduleEndOfReadTransactions(doublings: Int) {
    isEndScheduled = true
    let delay = DispatchTimeInterval.nanoseconds(Int(clamping: span << UInt64(doublings)))
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay) { [weak self] in
      self?.endUnusedReadTransactions(doublings: doublings)
    }
  }

  private func endUnusedReadTransactions(doublings: Int) {
    lock.withLock {
      isEndScheduled = false
      let now = DispatchTime.now().uptimeNanoseconds
      for connection in idle where now &- connection.reading.last >= span {
        connection.endReadTransaction()
      }
      if idle.contains(where: { $0.reading.openCommit != nil }) {
        scheduleEndOfReadTransactions(doublings: min(doublings + 1, Self.maximumDoublings))
      }
    }
  }
}
