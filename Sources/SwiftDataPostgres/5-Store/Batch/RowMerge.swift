import SwiftDataCore
import SwiftDataSQL

/// Writes rows of one entity by their unique values: new ones, updates of those that differ, and nothing for equal
/// ones.
///
/// Stored rows are found by their unique values and compared here, so that only new rows and rows that differ are sent.
struct RowMerge {
  private let store: PostgresStore
  private let plan: EntityPlan
  private let statements: MergeStatements
  private let recording: HistoryRecording
  /// Whether no row of the last batch was stored, so that the next ones are inserted without looking for them.
  private(set) var expectsNewRows: Bool

  /// The outcomes of rows that were written together, and their changes for the history.
  private struct Written {
    var outcomes: [WriteOutcome]
    var inserted: [Int64] = []
    var updated: [(rowID: Int64, properties: ChangeMask)] = []

    init(count: Int) { outcomes = Array(repeating: .unchanged(0), count: count) }
  }

  init(
    _ store: PostgresStore, _ plan: EntityPlan, keeping kept: [Int], _ recording: HistoryRecording
  ) {
    self.store = store
    self.plan = plan
    self.recording = recording
    statements = MergeStatements(
      plan, keeping: kept, hasVersions: store.configuration.features.contains(.rowVersions))
    expectsNewRows = plan.uniqueness.isEmpty
  }

  /// Takes note of rows that were expected to be new and weren't.
  mutating func forgetExpectation() { expectsNewRows = false }

  /// Records rows that were inserted.
  func record(inserted rowIDs: [Int64]) { recording.insert(rowIDs, of: plan) }

  /// Writes rows with different unique values, in an open transaction. When they can't be written together, each is
  /// written by itself, and those that can't are refused.
  ///
  /// - Parameter lookups: The rows' ``lookups(of:)``, where they were made before.
  mutating func write(
    _ rows: [_RowWriter], lookups: [PostgresCommand]? = nil, on connection: PostgresConnection
  ) throws -> [WriteOutcome] {
    do {
      let written = try connection.transaction { try writeTogether(rows, lookups, connection) }
      recording.insert(written.inserted.sorted(), of: plan)
      for (rowID, properties) in written.updated.sorted(by: { $0.rowID < $1.rowID }) {
        recording.update([rowID], properties, of: plan)
      }
      return written.outcomes
    } catch let error as StoreError where error.concernsRow {
      guard rows.count > 1 else { return [.refused(error)] }
    }
    var outcomes: [WriteOutcome] = []
    for row in rows { outcomes += try write([row], on: connection) }
    return outcomes
  }

  /// Makes the statements that find the stored rows, so that the server doesn't wait for them later.
  ///
  /// - Throws: ``StoreError/Code/unsupportedValue`` when the server can't take a unique value.
  func lookups(of rows: [_RowWriter]) throws -> [PostgresCommand] {
    try StoredMatches.lookups(of: rows, plan, statements, store.address)
  }

  private mutating func writeTogether(
    _ rows: [_RowWriter], _ lookups: [PostgresCommand]?, _ connection: PostgresConnection
  ) throws -> Written {
    var written = Written(count: rows.count)
    let all = Array(rows.indices)
    if statements.constraints.isEmpty {
      let rowIDs = try store.rowIDs.take(rows.count, connection)
      try insert(rows, rowIDs, connection)
      mark(all, inserted: rowIDs, in: &written)
      return written
    }
    let stored = try StoredMatches(
      rows, try lookups ?? self.lookups(of: rows), statements, on: connection, store.address)
    try update(stored, rows, &written, connection)
    let missing = all.filter { stored.rowIDs[$0] == nil }
    expectsNewRows = missing.count == rows.count && rows.count >= RowBatch.minimumCopied
    if try insertDirectly(missing, rows, &written, connection) { return written }
    try insertOrUpdate(missing, rows, &written, connection)
    return written
  }

  private func batch(
    _ positions: [Int], _ rowIDs: [Int64], _ rows: [_RowWriter]
  ) throws -> RowBatch {
    var batch = RowBatch(plan, columns: Array(plan.columns.indices))
    for (position, rowID) in zip(positions, rowIDs) {
      try batch.append(
        rowID: rowID, of: rows[position].cells, arena: rows[position].arena,
        address: store.address)
    }
    return batch
  }

  // MARK: - New rows

  private func insert(
    _ rows: [_RowWriter], _ rowIDs: [Int64], _ connection: PostgresConnection
  ) throws {
    guard rows.count >= RowBatch.minimumCopied, plan.family == nil else {
      let batch = try batch(Array(rows.indices), rowIDs, rows)
      try connection.run(
        PostgresCommand(PostgresStatementText.finished(batch.insertion), batch.values))
      return
    }
    try connection.copy(into: plan) { writer in
      for (row, rowID) in zip(rows, rowIDs) {
        try row.arena.withUnsafeBytes { try writer.append(rowID: rowID, row.cells, arena: $0) }
      }
    }
  }

  /// Inserts rows that nobody else inserts meanwhile.
  ///
  /// - Returns: Whether the rows are inserted; otherwise nothing has changed.
  private func insertDirectly(
    _ positions: [Int], _ rows: [_RowWriter], _ written: inout Written,
    _ connection: PostgresConnection
  ) throws -> Bool {
    guard positions.count >= RowBatch.minimumCopied else { return false }
    let rowIDs = try store.rowIDs.take(positions.count, connection)
    do {
      try connection.transaction {
        try insert(positions.map { rows[$0] }, rowIDs, connection)
      }
    } catch let error as StoreError where error.code == .notUnique {
      store.rowIDs.giveBack(rowIDs)
      return false
    }
    mark(positions, inserted: rowIDs, in: &written)
    return true
  }

  private func mark(_ positions: [Int], inserted rowIDs: [Int64], in written: inout Written) {
    for (position, rowID) in zip(positions, rowIDs) {
      written.outcomes[position] = .inserted(rowID)
    }
    written.inserted += rowIDs
  }

  /// Inserts rows, which others may insert at the same time: those are updated then.
  private func insertOrUpdate(
    _ positions: [Int], _ rows: [_RowWriter], _ written: inout Written,
    _ connection: PostgresConnection
  ) throws {
    guard !positions.isEmpty else { return }
    let rowIDs = try store.rowIDs.take(positions.count, connection)
    let places = Dictionary(zip(rowIDs, positions)) { first, _ in first }
    let batch = try batch(positions, rowIDs, rows)
    let result = try connection.run(
      PostgresCommand(
        PostgresStatementText.finished(statements.insertion(from: batch.source)), batch.values))
    for position in positions { written.outcomes[position] = .updated(0) }
    for row in 0..<result.rowCount {
      guard let rowID = result.integer(row, 0) else { continue }
      guard let position = places[rowID] else {
        // Another transaction has inserted the row meanwhile, with values that nobody has compared.
        written.updated.append((rowID, statements.allDifferences))
        continue
      }
      written.outcomes[position] = .inserted(rowID)
      written.inserted.append(rowID)
    }
  }

  // MARK: - Stored rows

  /// Updates the stored rows that differ. Rows that others have deleted or given other unique values meanwhile are
  /// inserted.
  private func update(
    _ stored: StoredMatches, _ rows: [_RowWriter], _ written: inout Written,
    _ connection: PostgresConnection
  ) throws {
    var positions: [Int64: Int] = [:]
    for (position, rowID) in stored.rowIDs.enumerated() {
      guard let rowID else { continue }
      written.outcomes[position] = .unchanged(rowID)
      positions[rowID] = position
    }
    let different = try updateCompared(stored, rows, &written, connection)
    guard !different.isEmpty else { return }
    let targets = different.compactMap { stored.rowIDs[$0] }
    let batch = try batch(different, targets, rows)
    guard let update = statements.update(from: batch.source) else { return }
    let command = PostgresCommand(PostgresStatementText.finished(update), batch.values)
    var rest = Set(different)
    try StoredMatches.runByIndex([command], batch.rowIDs.count, on: connection) { result in
      for row in 0..<result.rowCount {
        guard let rowID = result.integer(row, 0), let position = positions[rowID] else { continue }
        rest.remove(position)
        written.outcomes[position] = .updated(rowID)
        written.updated.append((rowID, statements.differences(result, row)))
      }
    }
    guard !rest.isEmpty else { return }
    try insertMissing(rest.sorted(), rows, &written, connection)
  }

  /// Updates the stored rows that are still as they were when they were compared. The others, and all when there are
  /// few, have to be locked and compared again.
  ///
  /// Rows are locked in the order of their IDs, so that batches don't wait for each other in a circle: as the statement
  /// has them, or, where the planner begins with the table, as the index of the IDs has them, the only one it may use.
  ///
  /// - Returns: The positions of the rows that weren't updated.
  private func updateCompared(
    _ stored: StoredMatches, _ rows: [_RowWriter], _ written: inout Written,
    _ connection: PostgresConnection
  ) throws -> [Int] {
    var rest = Set(stored.different.map(\.position))
    let compared = stored.different.compactMap { different in
      stored.rowIDs[different.position].flatMap { rowID in
        different.known.map { (rowID: rowID, position: different.position, known: $0) }
      }
    }.sorted { $0.rowID < $1.rowID }
    guard compared.count >= StoredMatches.minimumPlanned else { return rest.sorted() }
    var batch = RowBatch(plan, columns: statements.updated)
    var places: [Int64: Int] = [:]
    for (place, row) in compared.enumerated() {
      places[row.rowID] = place
      try batch.append(
        rowID: row.rowID, of: rows[row.position].cells, arena: rows[row.position].arena,
        address: store.address)
    }
    let versions = PostgresValue.integers(compared.map(\.known.version))
    let command = PostgresCommand(
      PostgresStatementText.finished(batch.updateOfVersions),
      [.integers(batch.rowIDs), versions] + batch.lists.map { .list($0) })
    try StoredMatches.runByIndex(
      [command], compared.count, on: connection, without: ["hashjoin", "mergejoin", "seqscan"]
    ) { result in
      for row in 0..<result.rowCount {
        guard let rowID = result.integer(row, 0), let place = places[rowID] else { continue }
        rest.remove(compared[place].position)
        written.outcomes[compared[place].position] = .updated(rowID)
        written.updated.append((rowID, compared[place].known.properties))
      }
    }
    return rest.sorted()
  }

  /// Inserts those rows of which no stored one is left.
  private func insertMissing(
    _ rest: [Int], _ rows: [_RowWriter], _ written: inout Written, _ connection: PostgresConnection
  ) throws {
    let others = rest.map { rows[$0] }
    let again = try StoredMatches(
      others, try lookups(of: others), statements, on: connection, store.address)
    let missing = zip(rest, again.rowIDs).filter { $0.1 == nil }.map(\.0)
    try insertOrUpdate(missing, rows, &written, connection)
  }
}
