import SwiftDataCore
import SwiftDataSQL

/// Writes rows of one entity by their unique values: new ones, updates of those that differ, and nothing for equal ones.
struct RowMerge {
  /// The number of rows from which a temporary table pays.
  private static let minimumCopied = 64

  private let store: PostgresStore
  private let plan: EntityPlan
  private let statements: MergeStatements
  private let recording: HistoryRecording

  /// The outcomes of rows that were written together, and their changes for the history.
  private struct Written {
    var outcomes: [WriteOutcome]
    var inserted: [Int64] = []
    var updated: [(rowID: Int64, properties: ChangeMask)] = []

    init(_ outcomes: [WriteOutcome]) { self.outcomes = outcomes }
  }

  init(
    _ store: PostgresStore, _ plan: EntityPlan, keeping kept: [Int], _ recording: HistoryRecording
  ) {
    self.store = store
    self.plan = plan
    self.recording = recording
    statements = MergeStatements(plan, keeping: kept)
  }

  /// Writes rows with different unique values, in an open transaction. When they can't be written together, each is
  /// written by itself, and those that can't are refused.
  func write(
    _ rows: [_RowWriter], on connection: PostgresConnection
  ) throws -> [WriteOutcome] {
    do {
      let written = try connection.transaction { try writeTogether(rows, connection) }
      recording.insert(written.inserted, of: plan)
      for (rowID, properties) in written.updated.sorted(by: { $0.rowID < $1.rowID }) {
        recording.update([rowID], properties, of: plan)
      }
      return written.outcomes
    } catch let error as StoreError where Self.concernsRows(error) {
      guard rows.count > 1 else { return [.refused(error)] }
    }
    return try rows.flatMap { try write([$0], on: connection) }
  }

  private static func concernsRows(_ error: StoreError) -> Bool {
    [.notUnique, .missingValue, .danglingReference, .unsupportedValue, .refusedByTrigger]
      .contains(error.code)
  }

  private func writeTogether(
    _ rows: [_RowWriter], _ connection: PostgresConnection
  ) throws -> Written {
    if statements.constraints.isEmpty {
      let rowIDs = try store.rowIDs.take(rows.count, connection)
      try insert(rows, rowIDs, connection)
      var written = Written(rowIDs.map { .inserted($0) })
      written.inserted = rowIDs
      return written
    }
    let source = try Source(
      rows, plan, statements, on: connection, address: store.address,
      copies: store.configuration.features.contains(.temporaryTables))
    return statements.constraints.count == 1
      ? try mergeByKey(rows, source, connection)
      : try mergeByRowIDs(rows.count, source, connection)
  }

  // MARK: - New rows of a class without unique values

  private func insert(
    _ rows: [_RowWriter], _ rowIDs: [Int64], _ connection: PostgresConnection
  ) throws {
    guard rows.count >= Self.minimumCopied, plan.family == nil else {
      var batch = RowBatch(plan, columns: Array(plan.columns.indices))
      for (row, rowID) in zip(rows, rowIDs) {
        try batch.append(rowID: rowID, row.cells[...], arena: row.arena, address: store.address)
      }
      try run(batch.insertion, batch.values, connection)
      return
    }
    let names = [SQLIdentifier.rowID] + plan.columns.map { SQLIdentifier.quoted($0.name) }
    try connection.copy(
      into: PostgresStatementText.finished(SQLIdentifier.quoted(plan.table)),
      columns: names.map { PostgresStatementText.finished($0) }, types: Self.types(of: plan)
    ) { writer in
      for (row, rowID) in zip(rows, rowIDs) {
        try row.arena.withUnsafeBytes { try writer.append(rowID: rowID, row.cells, arena: $0) }
      }
    }
  }

  private static func types(of plan: EntityPlan) -> [PostgresType] {
    [.integer] + plan.columns.indices.map { RowBatch.type(of: $0, in: plan) }
  }

  @discardableResult
  private func run(
    _ sql: String, _ values: [PostgresValue], _ connection: PostgresConnection
  ) throws -> PostgresResult {
    try connection.run(PostgresCommand(PostgresStatementText.finished(sql), values))
  }

  // MARK: - Sources

  /// The new rows as an item of a FROM clause: lists of values, or a temporary table.
  private struct Source {
    let text: String
    let values: [PostgresValue]

    init(
      _ rows: [_RowWriter], _ plan: EntityPlan, _ statements: MergeStatements,
      on connection: PostgresConnection, address: String, copies: Bool
    ) throws {
      guard rows.count >= RowMerge.minimumCopied, copies else {
        let batch = try RowBatch(plan, rows: rows, address: address)
        text = batch.source
        values = batch.values
        return
      }
      try connection.run(
        [statements.creation, "TRUNCATE \(MergeStatements.temporaryTable)"].map {
          PostgresCommand(PostgresStatementText.finished($0))
        })
      try connection.copy(
        into: MergeStatements.temporaryTable, columns: statements.copiedColumns,
        types: RowMerge.types(of: plan)
      ) { writer in
        for (position, row) in rows.enumerated() {
          try row.arena.withUnsafeBytes {
            try writer.append(rowID: Int64(position), row.cells, arena: $0)
          }
        }
      }
      text = "\(MergeStatements.temporaryTable) AS v"
      values = []
    }
  }

  // MARK: - Merging

  /// Merges by the only unique values.
  private func mergeByKey(
    _ rows: [_RowWriter], _ source: Source, _ connection: PostgresConnection
  ) throws -> Written {
    var written = Written(Array(repeating: .unchanged(0), count: rows.count))
    let found = try runByIndex(statements.missing(from: source.text), source.values, connection)
    // In the order of the batch, which new row IDs follow; the server may join in any order.
    let missing = (0..<found.rowCount).compactMap { found.integer($0, 0) }.sorted()
    if missing.count < rows.count, let update = statements.update(from: source.text) {
      mark(try runByIndex(update, source.values, connection), in: &written)
    }
    if try insertDirectly(missing, rows, &written, connection) { return written }
    try insertMissing(missing, source, &written, connection)
    return written
  }

  /// Runs a statement that finds each row by an index. The planner, which knows nothing of the new rows, may prefer to
  /// read the whole table for each batch.
  private func runByIndex(
    _ sql: String, _ values: [PostgresValue], _ connection: PostgresConnection
  ) throws -> PostgresResult {
    let command = PostgresCommand(PostgresStatementText.finished(sql), values)
    // The lists of a small batch are planned with indices anyway.
    guard values.isEmpty else { return try connection.run(command) }
    let methods = ["hashjoin", "mergejoin", "seqscan"]
    return try connection.run(
      methods.map { PostgresCommand("SET LOCAL enable_\($0) = off") } + [command]
        + methods.map { PostgresCommand("SET LOCAL enable_\($0) = on") })[methods.count]
  }

  /// Inserts rows that nobody else inserts meanwhile.
  ///
  /// - Returns: Whether the rows are inserted; otherwise nothing has changed.
  private func insertDirectly(
    _ positions: [Int64], _ rows: [_RowWriter], _ written: inout Written,
    _ connection: PostgresConnection
  ) throws -> Bool {
    guard positions.count >= Self.minimumCopied else { return false }
    let rowIDs = try store.rowIDs.take(positions.count, connection)
    do {
      try connection.transaction {
        try insert(positions.map { rows[Int($0)] }, rowIDs, connection)
      }
    } catch let error as StoreError where error.code == .notUnique {
      return false
    }
    for (position, rowID) in zip(positions, rowIDs) {
      written.outcomes[Int(position)] = .inserted(rowID)
    }
    written.inserted += rowIDs
    return true
  }

  /// Merges by several unique values, which must lead to the same row.
  private func mergeByRowIDs(
    _ count: Int, _ source: Source, _ connection: PostgresConnection
  ) throws -> Written {
    var targets: [Int64: Int64] = [:]
    for constraint in statements.constraints {
      let found = try run(
        statements.existing(from: source.text, by: constraint), source.values, connection)
      for row in 0..<found.rowCount {
        guard let position = found.integer(row, 0), let rowID = found.integer(row, 1) else {
          continue
        }
        if let other = targets.updateValue(rowID, forKey: position), other != rowID {
          throw StoreError(
            .notUnique, path: store.address,
            explanation: "two models would share a unique value; change one of them")
        }
      }
    }
    var written = Written(Array(repeating: .unchanged(0), count: count))
    if !targets.isEmpty, let update = statements.updateByRowID(from: source.text) {
      let positions = targets.keys.sorted()
      let result = try run(
        update,
        source.values + [.integers(positions), .integers(positions.map { targets[$0] ?? 0 })],
        connection)
      mark(result, in: &written)
    }
    let missing = (0..<Int64(count)).filter { targets[$0] == nil }
    try insertMissing(missing, source, &written, connection)
    return written
  }

  private func insertMissing(
    _ positions: [Int64], _ source: Source, _ written: inout Written,
    _ connection: PostgresConnection
  ) throws {
    guard !positions.isEmpty else { return }
    let rowIDs = try store.rowIDs.take(positions.count, connection)
    let places = Dictionary(zip(rowIDs, positions)) { first, _ in first }
    let result = try run(
      statements.insertion(from: source.text),
      source.values + [.integers(positions), .integers(rowIDs)], connection)
    for position in positions { written.outcomes[Int(position)] = .updated(0) }
    for row in 0..<result.rowCount {
      guard let rowID = result.integer(row, 0) else { continue }
      guard let position = places[rowID] else {
        // Another transaction has inserted the row meanwhile, with values that nobody has compared.
        written.updated.append((rowID, statements.allDifferences))
        continue
      }
      written.outcomes[Int(position)] = .inserted(rowID)
      written.inserted.append(rowID)
    }
    written.inserted.sort()
  }

  /// Marks the rows that an update has returned.
  private func mark(_ rows: PostgresResult, in written: inout Written) {
    for row in 0..<rows.rowCount {
      guard let position = rows.integer(row, 0), let rowID = rows.integer(row, 1) else { continue }
      written.outcomes[Int(position)] = .updated(0)
      written.updated.append((rowID, statements.differences(rows, row)))
    }
  }
}

extension RowBatch {
  /// Whole rows with their positions as IDs.
  init(_ plan: EntityPlan, rows: [_RowWriter], address: String) throws {
    self.init(plan, columns: Array(plan.columns.indices))
    for (position, row) in rows.enumerated() {
      try append(rowID: Int64(position), row.cells[...], arena: row.arena, address: address)
    }
  }
}
