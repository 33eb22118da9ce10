import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Writes any number of models by their unique keys in one transaction on a connection of its own: the mechanism of
/// `BatchUpsert` and of imports. No model is registered or kept.
package final class UpsertTransaction<Model: PersistentModel>: ModelBatch {
  private let store: DefaultStore
  private let author: String?
  private var connection: Connection?
  private let table: TableWriter
  /// The number of models added before a second thread.
  private var added = 0
  private let kept: [Int]
  package private(set) var summary = WriteSummary()
  private var scratch: ScratchJournal?
  private var hasMetadata = false

  /// Begins the transaction in the store of a container, as ``ModelContainer/beginBatch(of:author:keeping:)`` does.
  package convenience init(
    _ container: ModelContainer, author: String? = nil,
    keeping keptProperties: [PartialKeyPath<Model>] = []
  ) throws {
    let (store, plan, kept) = try container.batchStore(of: Model.self, keeping: keptProperties)
    guard let store = store as? DefaultStore else {
      throw SwiftDataError.unknownSchema.explained("\(Model.self) isn't kept in SQLite.")
    }
    try self.init(store, plan, author: author, keeping: kept)
  }

  /// Begins the transaction.
  ///
  /// - Parameters:
  ///   - plan: The models' entity.
  ///   - author: The author of the changes, for the store's history.
  ///   - kept: The properties of which existing rows keep their own values, which aren't compared either.
  /// - Throws: ``StoreError`` when the store is read-only or stays locked by another writer for ten seconds.
  init(_ store: DefaultStore, _ plan: EntityPlan, author: String?, keeping kept: [Int]) throws {
    guard store.allowsSave else {
      throw StoreError(
        .readOnly, path: store.location.path,
        explanation: "it was opened with allowsSave: false, so nothing can be written")
    }
    guard store.stage == nil else {
      throw MigrationError(
        .unavailableInStage, path: store.location.path,
        explanation:
          "BatchUpsert has a transaction of its own, which can't be a part of a migration."
          + " Insert the models into the stage's context.")
    }
    try store.refuseReentrance()
    self.store = store
    self.author = author
    self.kept = kept
    let connection: Connection
    if store.location.isInMemory {
      connection = try store.scratchCopy()
      scratch = ScratchJournal()
    } else {
      connection = try store.batchConnection()
      try connection.execute("PRAGMA synchronous = FULL")
      // Sorting in a temporary database in memory takes an allocation for each row; with files, less than a page cache
      // never reaches the disk.
      try connection.execute("PRAGMA temp_store = FILE")
      connection.watchLog()
      store.record(on: connection)
      store.writer.prepare()
    }
    try connection.beginTransaction("BEGIN IMMEDIATE")
    try connection.checkStore()
    connection.recorder?.begin()
    self.connection = connection
    table = TableWriter(
      connection: connection, statements: try store.statements(of: plan),
      existing: .updated(keeping: kept), needsRowIDs: false, defersIndices: true)
  }

  deinit {
    table.endPipeline()
    connection?.rollback()
  }

  /// Does nothing: a file has one writer at a time.
  package func excludeOthers() {}

  /// The connection, which the caller may use until the next row is added.
  private func open() throws -> Connection {
    table.wait()
    return try began()
  }

  private func began() throws -> Connection {
    guard let connection else {
      throw StoreError(
        .other, path: store.location.path,
        explanation: "the batch has already ended; make a new one")
    }
    return connection
  }

  /// Writes one model: a new row, an update of the row with the same unique values, or nothing when that row
  /// is equal.
  ///
  /// - Parameter model: A model that wasn't inserted into a context. It is read during the call and not kept.
  /// - Throws: ``StoreError`` when a value is missing or two stored rows would collide. The batch can continue without
  ///   the model.
  @discardableResult
  package func upsert(_ model: Model) throws -> WriteOutcome {
    let connection = try open()
    try writeBuffered().requireNoRefusal()
    return try write(model, connection)
  }

  /// Writes a single model.
  private func write(_ model: Model, _ connection: Connection) throws -> WriteOutcome {
    try prepareToWrite(model, of: table.plan)
    try requireStored(table.encodeAlone(model), of: table.plan)
    let outcome = try table.write()
    withdrawFromContext(model)
    try connection.recorder?.flush()
    if case .unchanged = outcome {} else { scratch?.rows.append(table.lastRow) }
    summary.count(outcome)
    return outcome
  }

  /// Does the same as ``upsert(_:)``, but may hold the model back to write it faster together with others.
  ///
  /// - Returns: The outcomes for the models written by this call, in the order in which they were added.
  /// - Throws: Errors that concern the model before it is written, or the whole batch.
  package func add(_ model: Model) throws -> [WriteOutcome] {
    let connection = try began()
    if scratch != nil { return [written(model, connection)] }
    try prepareToWrite(model, of: table.plan)
    try requireStored(table.encode(model), of: table.plan)
    withdrawFromContext(model)
    let written = try record(table.put(), connection)
    added += 1
    guard added == RowPipeline.start, table.canPipeline else { return written }
    defer { table.startPipeline() }
    return written + (try writeBuffered())
  }

  /// Writes the models that are held back.
  package func writeBuffered() throws -> [WriteOutcome] {
    let connection = try began()
    return try record(table.writeBuffered(), connection)
  }

  /// Writes a single model; a failure becomes a part of the outcome.
  private func written(_ model: Model, _ connection: Connection) -> WriteOutcome {
    do { return try write(model, connection) } catch { return .refused(error) }
  }

  /// Counts written rows, and writes their history unless the second thread has done so.
  private func record(
    _ written: [WriteOutcome], _ connection: Connection
  ) throws -> [WriteOutcome] {
    guard !written.isEmpty else { return written }
    if !table.isPipelined { try connection.recorder?.flush() }
    for outcome in written { summary.count(outcome) }
    return written
  }

  /// Stores a value under a key in the store, in this transaction; nil removes it. The toolkits store metadata that
  /// belongs to the data here, such as the validators of a download.
  package func setMetadata(_ value: Data?, forKey key: String) throws {
    try StoreMetadata.set(value, forKey: key, on: try open())
    hasMetadata = true
    scratch?.metadata[key] = .some(value)
  }

  /// Makes everything durable and ends the batch.
  @discardableResult
  package func commit() throws -> WriteSummary {
    let connection = try open()
    try writeBuffered().requireNoRefusal()
    table.endPipeline()
    let written: HistoryRecorder.RecordedTransaction?
    if let scratch {
      connection.rollback()
      self.connection = nil
      written = try store.replay(scratch, of: table.plan, keeping: kept, author: author)
    } else {
      do {
        try table.finish()
        written = try connection.recorder?.finish(author: author)
        if written != nil { try connection.refreshTextIndices() }
        if written == nil, hasMetadata { try HistoryTables.countUnrecordedCommit(on: connection) }
        store.readers.endReadTransactions()
        try connection.files?.check(connection)
        try connection.commitTransaction()
        try connection.files?.check(connection)
      } catch {
        rollback()
        throw error
      }
      store.writer.committed(on: connection)
      store.attributes.removeGarbage(on: connection)
      self.connection = nil
    }
    store.recordCommit(written, author: author)
    return summary
  }

  /// Undoes everything and ends the batch.
  package func rollback() {
    table.endPipeline()
    connection?.recorder?.abandon()
    connection?.rollback()
    connection = nil
  }
}
