import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Decides how many rows are written by one statement, and by which. A statement for many new rows costs a quarter less
/// than one for each; but it doesn't return which of its rows already existed, and then each row is handled
/// individually. Existing rows are compared together, and only those that differ are written.
struct RowGroupingPolicy {
  /// The number of rows per statement; 1 when each row has its own.
  private(set) var size: Int
  /// The number of rows held back for a group.
  var bufferedCount = 0
  /// Whether the table has been checked and allows groups.
  var isAllowed = false
  /// Whether the last rows already existed: then the next rows are compared before they are written.
  private(set) var isComparing = false
  /// The number of rows that are written individually before the next attempt, and the number for the next pause.
  private var pause = 0
  private var nextPause = Self.minimumPause
  private static let minimumPause = 256
  private static let maximumPause = 65_536
  private static let maximumSize = 16
  private static let maximumParameters = 1_000

  init(_ statements: EntityStatements) {
    let plan = statements.plan
    // With several constraints a row may collide with two others, search tables are maintained by triggers, and other
    // forms of values are created row by row.
    let isPlain =
      plan.uniqueness.count <= 1 && !plan.columns.isEmpty && !statements.isSearchable
      && statements.codec == nil
    size = isPlain ? min(Self.maximumSize, Self.maximumParameters / plan.columns.count) : 1
  }

  /// Gives each row its own statement from now on.
  mutating func end() { size = 1 }

  /// Whether the next row may be held back for a group.
  mutating func admits() -> Bool {
    guard size > 1, pause == 0 else {
      pause = max(0, pause - 1)
      return false
    }
    return true
  }

  mutating func recordNew() {
    nextPause = Self.minimumPause
    isComparing = false
  }

  /// Existing rows seldom come alone.
  mutating func recordExisting() { isComparing = true }

  /// Comparing pays when it saves writing one row in four.
  mutating func recordEqual(_ count: Int) {
    if count * 4 >= size {
      nextPause = Self.minimumPause
    } else {
      pause = nextPause
      nextPause = min(nextPause * 4, Self.maximumPause)
    }
  }
}

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
  func put(needsRowID: Bool = true) throws -> [WriteOutcome] {
    guard isNumbered, grouping.admits() else {
      return [outcome(needsRowID: needsRowID)]
    }
    grouping.bufferedCount += 1
    return grouping.bufferedCount == grouping.size ? try writeBuffered(needsRowID: needsRowID) : []
  }

  /// Writes the rows that are held back; the row last encoded is discarded then, unless it was one of them.
  func writeBuffered(needsRowID: Bool = true) throws -> [WriteOutcome] {
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
        if defersIndices { try deferIndices(for: first, count) }
        fresh = try insertGroup(first, count)
        if fresh.count == count {
          grouping.recordNew()
          newRows += count
          return fresh.map { .inserted($0) }
        }
        grouping.recordExisting()
      }
    }
    var seen: Set<Int64> = []
    return (0..<count).map { position in
      select(first + position)
      let outcome = outcome(needsRowID: needsRowID || !fresh.isEmpty)
      // The row was inserted by the group statement, and is now equal to itself.
      if case .unchanged(let rowID) = outcome, fresh.contains(rowID), seen.insert(rowID).inserted {
        return .inserted(rowID)
      }
      return outcome
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

  private func groupStatement(_ count: Int) throws -> Statement {
    if let preparedGroup, !preparedGroup.isInUse { return preparedGroup }
    let statement = try connection.statement(statements.insertion(of: count))
    preparedGroup = statement
    return statement
  }

  /// - Returns: The IDs of the inserted rows.
  private func insertGroup(_ first: Int, _ count: Int) throws -> Range<Int64> {
    let statement = try groupStatement(count)
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
