import Foundation
import SwiftDataCore
import SwiftDataSQL

/// The connections of a store. One writes, for one caller at a time; readers have their own and see the last commit
/// during a write (write-ahead logging).
final class StoreConnections: Sendable {
  let location: StoreLocation
  /// The file and the files beside it, as they were opened; nil in memory and for the store of a migration's stage.
  let files: StoreFiles?
  /// The connection of a migration, for the store of one of its stages; nil for all others.
  let stage: MigrationStageConnection?
  let readers: ConnectionPool
  /// Connections for SQL from outside the framework; they can only read.
  let sqlReaders: ConnectionPool
  let counter: StatementCounter
  let writer: StoreWriter
  /// The threads that insert a batch whose transaction is open.
  let batches = ActiveThreads()
  /// The threads that read a store in memory.
  private let memoryReaders = MemoryReaders()
  private let memory: StoreMemory

  /// Whether the store itself reads in a transaction that hasn't written anything yet.
  @TaskLocal static var readsBeforeWriting = false

  /// - Parameters:
  ///   - connection: The connection that writes, set up completely.
  ///   - counter: Counts the statements of all connections.
  ///   - makeGuard: Makes the guards of the readers' tables.
  init(
    _ location: StoreLocation, writer connection: Connection, isReadOnly: Bool,
    memory: StoreMemory, counter: StatementCounter, files: StoreFiles? = nil,
    stage: MigrationStageConnection? = nil,
    makeGuard: @escaping @Sendable () -> (any TransactionGuard)? = { nil }
  ) {
    self.location = location
    self.files = files
    self.stage = stage
    self.memory = memory
    self.counter = counter
    readers = ConnectionPool(
      location, isReadOnly: isReadOnly, memory: memory, counter: counter, stage: stage,
      files: files, makeGuard: makeGuard)
    sqlReaders = ConnectionPool(
      location, isReadOnly: isReadOnly, memory: memory, counter: counter, isGuarded: true,
      stage: stage, files: files)
    nonisolated(unsafe) let writing = connection
    let isPlainFile = !location.isInMemory && stage == nil && !isReadOnly
    writer = StoreWriter(writing, checkpointsLater: isPlainFile)
  }

  /// Closes all of them.
  func close() {
    files?.forget()
    readers.closeAll()
    sqlReaders.closeAll()
    writer.close()
  }

  /// Runs `body` with the write connection; one caller at a time.
  func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    readers.endReadTransactions()
    guard let result = try writer.use(body) else {
      throw StoreError(.other, path: location.path, explanation: "it has been closed")
    }
    return result
  }

  /// Runs `body` with a read connection, after checking whether another process has committed.
  ///
  /// - Parameters:
  ///   - sharesTransaction: Whether reads that follow closely may share a transaction with this one; then `body` must
  ///     not begin one.
  ///   - tracker: Does the check.
  func read<Result>(
    sharesTransaction: Bool, _ tracker: StoreCommitTracker, _ body: (Connection) throws -> Result
  ) throws -> Result {
    if location.isInMemory { return try readMemory(body) }
    return try readers.withConnection { connection, span in
      // No other process reaches a database in memory, and a stage is already in a transaction.
      if stage == nil {
        let mark = connection.commitMark
        try connection.continueReading(mark, within: sharesTransaction ? span : 0)
        try tracker.check(connection, mark)
      } else {
        try tracker.check(connection, connection.commitMark)
      }
      return try body(connection)
    }
  }

  /// Reads a store in memory, which has no log: readers lock out writers, and writers lock out readers. Code called
  /// meanwhile on the same thread would wait for itself; reads of such code use the connection that is in use.
  private func readMemory<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if Self.readsBeforeWriting, let connection = writer.connectionUsedHere {
      return try body(connection)
    }
    if writer.isUsedHere {
      throw Self.reentrance("Reading a store in memory", during: "encoding values for a save")
    }
    if let outer = memoryReaders.connectionInUse {
      return try outer.withOwnStatements { try body(outer) }
    }
    return try readers.withConnection { try memoryReaders.using($0, body) }
  }

  /// Checks for reentrance. Call it before writing.
  ///
  /// - Throws: ``SwiftDataError/reentrantOperation`` where this thread would wait for itself.
  func refuseReentrance() throws {
    if writer.isUsedHere { throw Self.reentrance("Writing", during: "encoding values for a save") }
    if location.isInMemory, memoryReaders.containsCurrent {
      throw Self.reentrance("Writing to a store in memory", during: "decoding values of a fetch")
    }
    if batches.containsCurrent {
      throw Self.reentrance("Writing", during: "making models for a batch")
    }
  }

  private static func reentrance(_ what: String, during work: String) -> SwiftDataError {
    .reentrantOperation.explained(
      "\(what) was called from code that is \(work) of the same store, and would wait for that without end."
        + " Do it afterwards.")
  }

  /// A writing connection for a batch, besides the one of saves.
  func makeBatchConnection() throws -> Connection {
    func make() throws -> Connection {
      try Connection(location, role: .writer, isReadOnly: false, memory: memory)
    }
    let connection = try files?.open(make) ?? make()
    connection.files = files
    return connection
  }
}
