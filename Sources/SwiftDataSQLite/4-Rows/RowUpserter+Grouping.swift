import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Writes several rows by one statement where ``RowGroupingPolicy`` admits it.
extension RowUpserter {
  /// Row IDs below this are consecutive: SQLite chooses at random only after the largest possible ID
  /// (https://sqlite.org/autoinc.html).
  private static let maximumRowID = Int64.max - 1 << 40

  var bufferedCells: Int { grouping.bufferedCount * plan.columns.count }

  /// Writes the row last encoded, immediately or together with later rows.
  ///
  /// - Parameter needsRowID: As for ``upsert(needsRowID:)``; the same for all rows.
  /// - Returns: The outcomes of the rows written by this call, in the order in which they were encoded.
  /// - Throws: Errors that concern more than one row.
  func put(needsRowID: Bool) throws -> [WriteOutcome] {
    guard isNumbered, grouping.admits() else {
      return [outcome(needsRowID: needsRowID)]
    }
    grouping.bufferedCount += 1
    return grouping.bufferedCount == grouping.size ? try writeBuffered(needsRowID: needsRowID) : []
  }

  /// Writes the rows that are held back; the row last encoded is discarded then, unless it was one of them.
  func writeBuffered(needsRowID: Bool) throws -> [WriteOutcome] {
    let count = grouping.bufferedCount
    guard count > 0 else { return [] }
    defer {
      grouping.bufferedCount = 0
      start = 0
      row.begin(nil)
    }
    return try writeGroup(0, count, needsRowID: needsRowID)
  }

  /// Writes rows that were encoded elsewhere. They are discarded afterwards, and their memory is reused.
  func write(_ batch: inout RowBatch, needsRowID: Bool) throws -> [WriteOutcome] {
    swap(&row, &batch.row)
    defer {
      start = 0
      swap(&row, &batch.row)
      batch.removeAll()
    }
    var outcomes: [WriteOutcome] = []
    outcomes.reserveCapacity(batch.count)
    var position = 0
    while position < batch.count {
      if isNumbered, batch.count - position >= grouping.size, grouping.admits() {
        outcomes += try writeGroup(position, grouping.size, needsRowID: needsRowID)
        position += grouping.size
      } else {
        select(position)
        outcomes.append(outcome(needsRowID: needsRowID))
        position += 1
      }
    }
    return outcomes
  }

  /// Writes consecutive rows, of which the first is at the position `first`.
  private func writeGroup(_ first: Int, _ count: Int, needsRowID: Bool) throws -> [WriteOutcome] {
    heapReservation.next(count)
    var fresh: Range<Int64> = 0..<0
    if count == grouping.size, try isAllowed() {
      if grouping.isComparing, let found = try findMatchesOfGroup(first, count) {
        return writeDifferent(first, found, needsRowID: needsRowID)
      }
      if case .automatic = numbering {
        if indices.isAllowed { try deferIndices(for: first, count) }
        fresh = try insertGroup(first, count)
        if fresh.count == count {
          grouping.recordNew()
          indices.newRows += count
          return fresh.map { .inserted($0) }
        }
        grouping.recordExisting()
      }
    }
    // The group statement has inserted rows in their order; the others are upserted. Nothing else tells them apart: a
    // row without a unique value, or with NULL in it, conflicts with nothing, and would be inserted again.
    var inserted = fresh.lowerBound
    return try (0..<count).map { position in
      select(first + position)
      guard inserted < fresh.upperBound, try isInserted(as: inserted) else {
        return outcome(needsRowID: needsRowID)
      }
      defer { inserted += 1 }
      return .inserted(inserted)
    }
  }

  /// Whether the current row is stored under a row ID. None of several equal rows is inserted before an earlier one, so
  /// the first that fits is the one that was inserted.
  private func isInserted(as rowID: Int64) throws -> Bool {
    let statement = try connection.statement(statements.isUnchanged)
    defer { statement.reset() }
    let cells = self.cells
    return try row.arena.withUnsafeBufferPointer { arena in
      try statement.bind(cells, arena: arena.baseAddress, at: 1)
      try statement.bind(.integer(rowID), at: Int32(cells.count + 1))
      return try statement.step()
    }
  }

  /// Whether the IDs of new rows are consecutive, and no trigger of another program fires for them: the statement would
  /// ignore conflicts in the trigger as well (https://sqlite.org/lang_createtrigger.html).
  private func isAllowed() throws -> Bool {
    if grouping.isAllowed { return true }
    let last =
      try connection.integer(
        "SELECT max(\(SQLIdentifier.rowID))"
          + " FROM \(statements.table)") ?? 0
    grouping.isAllowed =
      try last < Self.maximumRowID && !statements.hasOtherTriggers(on: connection)
    if !grouping.isAllowed { grouping.end() }
    return grouping.isAllowed
  }

  /// - Returns: The IDs of the inserted rows.
  private func insertGroup(_ first: Int, _ count: Int) throws -> Range<Int64> {
    let statement = try insertion.group(of: count, statements, on: connection)
    sqlite3_set_last_insert_rowid(connection.handle, 0)
    try row.cells.withUnsafeBufferPointer { cells in
      try row.arena.withUnsafeBufferPointer { arena in
        let width = plan.columns.count
        let rows = UnsafeBufferPointer(rebasing: cells[first * width..<(first + count) * width])
        try statement.bind(rows, arena: arena.baseAddress, at: 1)
        try statement.run()
      }
    }
    let inserted = sqlite3_changes64(connection.handle)
    let last = sqlite3_last_insert_rowid(connection.handle)
    guard inserted > 0, last >= inserted else { return 0..<0 }
    return last - inserted + 1..<last + 1
  }
}
