import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Writes any number of models by their unique keys in one transaction on a connection of its own. Models are collected
/// and merged, on another thread when they are many, or streamed by COPY while they are expected to be new.
///
/// No lock is held but those of the written rows, and readers see nothing before the commit.
final class UpsertBatch<Model: PersistentModel> {
  /// The number of models that are merged together: while another thread does, as many are collected.
  private static var maximumCount: Int { 5_000 }
  /// The number of models that a stream sends.
  private static var streamedCount: Int { 10_000 }

  private let store: PostgresStore
  private let plan: EntityPlan
  private let author: String?
  private var merge: RowMerge
  private let recording: HistoryRecording
  private let key: TransactionKey
  private var opened: PostgresConnection?
  private(set) var summary = WriteSummary()
  /// The rows that wait, and their unique values.
  private var waiting: [_RowWriter] = []
  private var keys: WaitingKeys
  /// The types of the columns.
  private let types: [PostgresType]
  /// The bytes of the longest row so far, up to a limit: the next ones get as many at once.
  private var arenaSize = 0
  private static var maximumArenaSize: Int { 512 }
  /// The rows before those that wait, while they are being written.
  private var writing: ConcurrentWrite?
  /// Sends the rows that wait, which are expected to be new; nil when they are only collected.
  private var stream: RowStream?
  /// The number of rows that are written first.
  private static var probeCount: Int { 1_000 }
  private var hasWritten = false
  /// The outcomes of rows that were written before they had to be, for the next call that returns outcomes.
  private var unreported: [WriteOutcome] = []
  /// Whether values under keys were written, which aren't in the history.
  private var hasMetadata = false
  private var hasEnded = false

  init(_ store: PostgresStore, _ plan: EntityPlan, author: String?, keeping kept: [Int]) {
    self.store = store
    self.plan = plan
    self.author = author
    recording = HistoryRecording(store.historyPlans)
    key = TransactionKey(source: store.source)
    merge = RowMerge(store, plan, keeping: kept, recording)
    keys = WaitingKeys(plan)
    types = plan.columns.indices.map { RowBatch.type(of: $0, in: plan) }
  }

  deinit { end() }

  /// The connection, with an open transaction and nothing to do.
  private func connection() throws -> PostgresConnection {
    unreported += try finishWriting()
    return try open()
  }

  /// The connection, with an open transaction. Rows may be being written on it.
  @discardableResult
  private func open() throws -> PostgresConnection {
    guard !hasEnded else {
      throw StoreError(
        .other, path: store.address, explanation: "the batch has already ended; make a new one")
    }
    if let opened { return opened }
    let connection = try store.takeConnection()
    opened = connection
    do {
      try store.beginRecorded(connection)
      try connection.runLater(store.identityTest)
      // The next models may take their time.
      try connection.execute(
        "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0")
    } catch {
      connection.rollBackAll()
      let reason = store.reason(of: error, connection)
      // Without its transaction, nothing may be written on the connection.
      end()
      throw reason
    }
    return connection
  }

  private func end() {
    hasEnded = true
    stream = nil
    _ = writing?.finish()
    writing = nil
    guard let opened else { return }
    opened.rollBackAll()
    store.giveBack(opened)
    self.opened = nil
  }

  // MARK: - Rows

  /// A model's row.
  private func row(of model: Model) throws -> _RowWriter {
    try prepareToWrite(model, of: plan)
    let row = try Insertions.encoded(model, plan, store.cipher, arenaSize: arenaSize)
    if row.arena.count > arenaSize { arenaSize = min(row.arena.count, Self.maximumArenaSize) }
    try requireStored(row.unresolved, of: plan)
    // A value that the server can't take is found before others are sent with it.
    try RowBatch.check(row, plan, types, address: store.address)
    withdrawFromContext(model)
    return row
  }

  private func write(_ rows: [_RowWriter]) throws -> [WriteOutcome] {
    guard !rows.isEmpty else { return [] }
    return count(try merge.write(rows, on: connection()))
  }

  // MARK: - Another thread

  /// Waits for the rows that are being written.
  ///
  /// - Returns: Their outcomes.
  private func finishWriting() throws -> [WriteOutcome] { count(try uncounted()) }

  private func uncounted() throws -> [WriteOutcome] {
    guard let writing else { return [] }
    self.writing = nil
    let (outcomes, merge) = writing.finish()
    self.merge = merge
    return try outcomes.get()
  }

  /// Begins to write the rows that wait, when there are many and those before them were mostly stored ones; writes them
  /// otherwise.
  ///
  /// - Returns: The outcomes of rows that were added before, in their order.
  private func handOver() throws -> [WriteOutcome] {
    // Made while the rows before are still being written; the unique values have been checked.
    let lookups =
      try writing != nil && waiting.count >= ConcurrentWrite.minimumCount
      ? merge.lookups(of: waiting) : nil
    let outcomes = try uncounted()
    let isConcurrent =
      waiting.count >= ConcurrentWrite.minimumCount && stream == nil && !merge.expectsNewRows
      && ConcurrentWrite.isWorthwhile
    if isConcurrent {
      // Before anything else: the server has nothing to do until then.
      writing = ConcurrentWrite(waiting, lookups: lookups, with: merge, on: try open())
      _ = takeWaiting()
    }
    let earlier = takeUnreported() + count(outcomes)
    return try isConcurrent ? earlier : earlier + writeBuffered()
  }

  private func takeWaiting() -> [_RowWriter] {
    let rows = waiting
    waiting.removeAll(keepingCapacity: true)
    keys.removeAll()
    hasWritten = true
    return rows
  }

  private func takeUnreported() -> [WriteOutcome] {
    defer { unreported = [] }
    return unreported
  }

  private func count(_ outcomes: [WriteOutcome]) -> [WriteOutcome] {
    for outcome in outcomes { summary.count(outcome) }
    return outcomes
  }

  // MARK: - Streams

  /// Sends the rows that wait from now on, when there are enough of them that are expected to be new.
  private func beginStream() throws {
    guard writing == nil, merge.expectsNewRows, plan.family == nil,
      waiting.count == RowBatch.minimumCopied
    else { return }
    let connection = try connection()
    let rowIDs = try store.rowIDs.take(Self.streamedCount, connection)
    var stream = try RowStream(into: plan, rowIDs, on: connection)
    for row in waiting { try stream.append(row) }
    self.stream = stream
  }

  /// Ends the stream of the rows that wait.
  ///
  /// - Returns: The outcomes; nil when a row can't be inserted, and nothing was.
  private func endStream() throws -> [WriteOutcome]? {
    guard var stream else { return nil }
    self.stream = nil
    defer { store.rowIDs.giveBack(stream.unusedRowIDs) }
    do {
      let rowIDs = try stream.end()
      merge.record(inserted: rowIDs)
      return count(rowIDs.map { .inserted($0) })
    } catch let error as StoreError where error.concernsRow {
      merge.forgetExpectation()
      return nil
    }
  }

  /// Whether enough rows wait to be written together: fewer while the server has nothing to do.
  private var isFull: Bool {
    waiting.count >= Self.maximumCount
      || (waiting.count == ConcurrentWrite.minimumCount && hasWritten && writing == nil
        && stream == nil && !merge.expectsNewRows && ConcurrentWrite.isWorthwhile)
  }

  /// Writes rows of which some may have equal unique values: those behind such a row after it.
  private func writeInTurn(_ rows: [_RowWriter]) throws -> [WriteOutcome] {
    var written: [WriteOutcome] = []
    for row in rows { written += try collect(row) }
    return try written + writeBuffered()
  }

  /// Adds a row to those that wait; writes these before when they are too many, or one of them has a unique value of
  /// it.
  private func collect(_ row: _RowWriter) throws -> [WriteOutcome] {
    var written: [WriteOutcome] = []
    if isFull || !keys.insert(row) {
      written = try handOver()
      _ = keys.insert(row)
    }
    waiting.append(row)
    return written
  }
}

extension UpsertBatch: ModelBatch {
  func upsert(_ model: Model) throws -> WriteOutcome {
    try writeBuffered().requireNoRefusal()
    try open()
    let outcome = try write([row(of: model)])[0]
    if case .refused(let error) = outcome { throw error }
    return outcome
  }

  func add(_ model: Model) throws -> [WriteOutcome] {
    try open()
    let row = try row(of: model)
    guard stream == nil else {
      let written = stream?.isFull == true ? try writeBuffered() : []
      guard stream != nil else { return try written + collect(row) }
      try stream?.append(row)
      waiting.append(row)
      return written
    }
    // The first rows tell how the others are written.
    let isProbe = !hasWritten && waiting.count >= Self.probeCount
    let written = try isProbe ? writeBuffered() : []
    let collected = try collect(row)
    try beginStream()
    return written + collected
  }

  func writeBuffered() throws -> [WriteOutcome] {
    let earlier = try takeUnreported() + finishWriting()
    let rows = takeWaiting()
    guard stream != nil else { return try earlier + write(rows) }
    return try earlier + (endStream() ?? writeInTurn(rows))
  }

  /// The connection for other work than that of rows.
  private func interrupt() throws -> PostgresConnection {
    if stream != nil { unreported = try writeBuffered() }
    return try connection()
  }

  func setMetadata(_ value: Data?, forKey key: String) throws {
    try StoreMetadata.set(value, forKey: key, on: interrupt())
    hasMetadata = true
  }

  func excludeOthers() throws { try StoreMetadata.lockBatches(interrupt()) }

  func commit() throws -> WriteSummary {
    try open()
    try writeBuffered().requireNoRefusal()
    let connection = try connection()
    let recorded: HistoryRecording.Recorded?
    do {
      defer { end() }
      recorded = try committed(connection)
    } catch let error as UncertainCommit {
      recorded = try stored(error)
    }
    store.finish(recorded, author: author)
    return summary
  }

  private func committed(_ connection: PostgresConnection) throws -> HistoryRecording.Recorded? {
    do {
      return try store.commit(
        recording, key: key, attempt: 1, author: author, keepsKey: hasMetadata, connection)
    } catch { throw store.explained(error, connection) }
  }

  /// The batch in the history, after an end that isn't known; nil when no model has changed.
  ///
  /// - Throws: The cause when the batch isn't stored.
  private func stored(_ error: UncertainCommit) throws -> HistoryRecording.Recorded? {
    guard !recording.isEmpty || hasMetadata else { return nil }
    do {
      if let recorded = try store.storedTransaction(key, of: recording) {
        // Without changed models, only the key was stored, with the number of the transaction before.
        return recorded.entities.isEmpty ? nil : recorded
      }
    } catch {
      store.reportUnknownCommit()
      throw error
    }
    throw error.cause
  }

  func rollback() { end() }
}
