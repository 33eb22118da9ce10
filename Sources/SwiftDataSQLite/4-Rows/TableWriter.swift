import SwiftDataCore

/// Writes new rows of one entity in a transaction: those of saves, batches, imports and a synchronization's arrivals.
///
/// A row is encoded, then put. Both may hold it back for others; the outcomes arrive in the order in which rows were
/// put, from the call that wrote them. They are queued in one place: with the rows that are held back.
///
/// No function that is called with a part of this object accesses the object again, so its variables have no
/// exclusivity checks.
final class TableWriter {
  /// The way in which rows get to the table. Whether its indices wait for the last row is decided beside it, by
  /// ``IndexDeferral``, because that suits groups on either thread.
  enum Strategy {
    /// Each row has its own statement, because of what the entity has: search tables, several unique constraints,
    /// values in another form, or no columns.
    case single
    /// Rows share a statement, see ``RowGroupingPolicy``.
    case grouped
    /// Rows share a statement, and a second thread runs it while the caller encodes the next rows.
    case pipelined(RowPipeline)
  }

  private let rows: RowUpserter
  /// Whether the IDs of rows that existed are needed. Without them, a lookup is saved.
  private let needsRowIDs: Bool
  @exclusivity(unchecked) private(set) var strategy: Strategy
  /// The number of rows that ``insertIfNew(_:arena:)`` has inserted.
  @exclusivity(unchecked) private var inserted = 0

  /// - Parameters:
  ///   - existing: The treatment of rows with the same unique values.
  ///   - needsRowIDs: Whether the outcomes have the IDs of rows that existed.
  ///   - defersIndices: Whether the table's indices may be dropped until ``finish()``. No other code may use the
  ///     connection meanwhile.
  init(
    connection: Connection, statements: EntityStatements,
    existing: RowUpserter.ExistingRow = .updated(keeping: []), needsRowIDs: Bool,
    defersIndices: Bool = false
  ) {
    rows = RowUpserter(
      connection: connection, statements: statements, existing: existing,
      defersIndices: defersIndices)
    self.needsRowIDs = needsRowIDs
    strategy = rows.grouping.size > 1 ? .grouped : .single
  }

  var plan: EntityPlan { rows.plan }

  // MARK: Rows of models

  /// Writes `model` into the row that is put next.
  ///
  /// - Returns: The relationships whose destination has no row yet; if there are any, the row mustn't be put on the
  ///   second thread.
  @inline(__always)
  func encode(
    _ model: any PersistentModel
  ) throws -> [(property: Int, destination: any PersistentModel)] {
    if case .pipelined(let pipeline) = strategy { return try pipeline.encode(model) }
    return try rows.encode(model)
  }

  /// Writes the row last encoded, immediately or together with later rows.
  ///
  /// - Returns: The outcomes of rows put so far that haven't been returned yet, as far as they are known.
  /// - Throws: Errors that concern more than one row.
  @inline(__always)
  func put() throws -> [WriteOutcome] {
    switch strategy {
    case .single: [rows.outcome(needsRowID: needsRowIDs)]
    case .grouped: try rows.put(needsRowID: needsRowIDs)
    case .pipelined(let pipeline): try pipeline.put()
    }
  }

  /// Writes the rows that are held back. A row that was encoded and not put is discarded.
  ///
  /// - Returns: The outcomes that haven't been returned yet.
  func writeBuffered() throws -> [WriteOutcome] {
    if case .pipelined(let pipeline) = strategy { return try pipeline.drain() }
    return try rows.writeBuffered(needsRowID: needsRowIDs)
  }

  /// Writes `model` into the row that ``write()`` writes. No rows may be held back, nor be written by a second thread.
  ///
  /// - Returns: The relationships whose destination has no row yet.
  func encodeAlone(
    _ model: any PersistentModel
  ) throws -> [(property: Int, destination: any PersistentModel)] {
    try rows.encode(model)
  }

  /// Writes the row of ``encodeAlone(_:)`` immediately.
  func write() throws -> WriteOutcome { try rows.upsert(needsRowID: needsRowIDs) }

  // MARK: Rows without models

  /// A copy of the row that ``write()`` wrote, for another writer.
  var lastRow: RowCopy { rows.encoded }

  /// Writes a row that another writer of the entity has written elsewhere.
  func write(_ row: RowCopy) throws -> WriteOutcome {
    rows.load(row)
    return try rows.upsert(needsRowID: needsRowIDs)
  }

  /// Finds out which ID the first row gets, before ``insertIfNew(_:arena:)``.
  func learnNumbering() throws { try rows.learnNumbering() }

  /// Inserts a row, unless one with the same unique values exists. For a writer that leaves those alone.
  ///
  /// The row is in the history as if a context had saved it. Relationships aren't handled: the caller passes only rows
  /// without any, or with the row IDs of their destinations.
  ///
  /// - Parameters:
  ///   - cells: All columns of the entity, in order.
  ///   - arena: The bytes of the cells.
  /// - Returns: ``WriteOutcome/inserted(_:)``, or ``WriteOutcome/unchanged(_:)`` without the row's ID.
  /// - Throws: ``StoreError``, for example when a required value is missing.
  func insertIfNew(
    _ cells: UnsafeBufferPointer<_Cell>, arena: UnsafePointer<UInt8>?
  ) throws -> WriteOutcome {
    let outcome = try rows.insertIfNew(cells, arena: arena)
    guard outcome.isInserted else { return outcome }
    inserted += 1
    // The history of a long transaction is written in parts.
    if inserted % 256 == 0 { try rows.connection.recorder?.flush() }
    return outcome
  }

  // MARK: The second thread

  var isPipelined: Bool {
    if case .pipelined = strategy { true } else { false }
  }

  /// Whether a second thread would write the rows faster.
  var canPipeline: Bool {
    guard case .grouped = strategy else { return false }
    return RowPipeline.isWorthwhile(for: rows)
  }

  /// Passes rows to a second thread from now on. No rows may be held back, and the connection belongs to that thread
  /// while rows are being written, see ``wait()``.
  func startPipeline() {
    strategy = .pipelined(RowPipeline(rows, on: rows.connection, needsRowIDs: needsRowIDs))
  }

  /// Waits for the second thread: the caller may use the connection until the next row is put.
  func wait() {
    if case .pipelined(let pipeline) = strategy { pipeline.wait() }
  }

  /// Ends the second thread, if there is one; rows that are held back are dropped. To be called before the transaction
  /// ends, whether by commit or rollback.
  func endPipeline() {
    guard case .pipelined(let pipeline) = strategy else { return }
    pipeline.end()
    strategy = .grouped
  }

  /// Creates the indices that waited for the last row. No rows may be held back.
  func finish() throws { try rows.makeIndices() }
}
