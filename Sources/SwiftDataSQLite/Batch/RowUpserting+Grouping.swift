import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// How many rows go into one statement, and into which. A statement for many new rows costs a quarter less than one for
/// each; but which of its rows were there already it doesn't say, and then each is dealt with by itself. Rows that are
/// there are looked at together, and only those that differ are written.
struct RowGrouping {
  /// The rows of a statement; 1 when each has to have its own.
  private(set) var size: Int
  /// How many rows wait for others.
  var held = 0
  /// Whether the table has been looked at, and allows it.
  var isAllowed = false
  /// Whether the last rows were there already: then the next ones are compared before they are written.
  private(set) var isComparing = false
  /// How many rows are written one by one before another attempt, and how many the next time.
  private var pause = 0
  private var nextPause = Self.leastPause
  private static let leastPause = 256
  private static let greatestPause = 65_536
  private static let greatestSize = 16
  private static let greatestParameters = 1_000

  init(_ statements: EntityStatements) {
    let plan = statements.plan
    // With several constraints a row may collide with two others at once, search tables are kept by triggers, and other
    // forms of values are made row by row.
    let isPlain =
      plan.uniqueness.count <= 1 && !plan.columns.isEmpty && !statements.isSearchable
      && statements.codec == nil
    size = isPlain ? min(Self.greatestSize, Self.greatestParameters / plan.columns.count) : 1
  }

  /// Each row has its own statement from now on.
  mutating func end() { size = 1 }

  /// Whether the next row may wait for others.
  mutating func admits() -> Bool {
    guard size > 1, pause == 0 else {
      pause = max(0, pause - 1)
      return false
    }
    return true
  }

  mutating func noteNew() {
    nextPause = Self.leastPause
    isComparing = false
  }

  /// Rows that are there already seldom come alone.
  mutating func noteMet() { isComparing = true }

  /// Looking pays when it saves writing a row in four.
  mutating func noteEqual(_ count: Int) {
    if count * 4 >= size {
      nextPause = Self.leastPause
    } else {
      pause = nextPause
      nextPause = min(nextPause * 4, Self.greatestPause)
    }
  }
}

extension RowUpserting {
  /// The row ids before this one follow each other: SQLite chooses at random only behind the last one there is
  /// (https://sqlite.org/autoinc.html).
  private static let greatestRowID = Int64.max - 1 << 40

  var heldCells: Int { grouping.held * plan.columns.count }

  /// Writes the row last encoded, at once or with those that follow.
  ///
  /// - Parameter needsRowID: As for ``upsert(needsRowID:)``; the same for all rows.
  /// - Returns: What became of the rows that are written now, in the order in which they came.
  /// - Throws: What concerns more than a row.
  func put(needsRowID: Bool = true) throws -> [Outcome] {
    guard isNumbered, grouping.admits() else {
      return [Outcome { try upsert(needsRowID: needsRowID) }]
    }
    grouping.held += 1
    return grouping.held == grouping.size ? try writeHeld(needsRowID: needsRowID) : []
  }

  /// Writes the rows that wait for others; the row last encoded is gone then, unless it was one of them.
  func writeHeld(needsRowID: Bool = true) throws -> [Outcome] {
    let count = grouping.held
    guard count > 0 else { return [] }
    defer {
      grouping.held = 0
      start = 0
      row.begin(nil)
    }
    return try writeGroup(0, count, needsRowID: needsRowID)
  }

  /// Writes rows that were encoded elsewhere. They are gone then, and their memory is for others.
  func write(_ parcel: inout RowParcel, needsRowID: Bool) throws -> [Outcome] {
    swap(&row, &parcel.row)
    defer {
      start = 0
      swap(&row, &parcel.row)
      parcel.removeAll()
    }
    var outcomes: [Outcome] = []
    outcomes.reserveCapacity(parcel.count)
    var position = 0
    while position < parcel.count {
      if isNumbered, parcel.count - position >= grouping.size, grouping.admits() {
        outcomes += try writeGroup(position, grouping.size, needsRowID: needsRowID)
        position += grouping.size
      } else {
        select(position)
        outcomes.append(Outcome { try upsert(needsRowID: needsRowID) })
        position += 1
      }
    }
    return outcomes
  }

  /// Writes rows that follow each other, of which the first stands at the position `first`.
  private func writeGroup(_ first: Int, _ count: Int, needsRowID: Bool) throws -> [Outcome] {
    room.next(count)
    var fresh: Range<Int64> = 0..<0
    if count == grouping.size, try isAllowed() {
      if grouping.isComparing, let found = try lookTogether(first, count) {
        return writeDifferent(first, found, needsRowID: needsRowID)
      }
      if case .automatic = numbering {
        if postponesIndices { try postponeIndices(for: first, count) }
        fresh = try insertTogether(first, count)
        if fresh.count == count {
          grouping.noteNew()
          newRows += count
          return fresh.map { .success(($0, .inserted)) }
        }
        grouping.noteMet()
      }
    }
    var seen: Set<Int64> = []
    return (0..<count).map { position in
      select(first + position)
      return Outcome {
        var insertion = try upsert(needsRowID: needsRowID || !fresh.isEmpty)
        // It came in with the others, and is equal to itself now.
        if insertion.kind == .unchanged, fresh.contains(insertion.rowID),
          seen.insert(insertion.rowID).inserted
        {
          insertion.kind = .inserted
        }
        return insertion
      }
    }
  }

  /// Whether the ids of new rows follow each other, and no trigger of another program does anything with them: what it
  /// can't do would be ignored, too (https://sqlite.org/lang_createtrigger.html).
  private func isAllowed() throws -> Bool {
    if grouping.isAllowed { return true }
    let last = try connection.integer("SELECT max(\"_id\") FROM \(statements.table)") ?? 0
    grouping.isAllowed =
      try last < Self.greatestRowID && !statements.hasOtherTriggers(on: connection)
    if !grouping.isAllowed { grouping.end() }
    return grouping.isAllowed
  }

  private func groupStatement(_ count: Int) throws -> Statement {
    if let preparedGroup, !preparedGroup.isInUse { return preparedGroup }
    let statement = try connection.statement(statements.insertion(of: count))
    preparedGroup = statement
    return statement
  }

  /// - Returns: The ids of the rows that could be inserted.
  private func insertTogether(_ first: Int, _ count: Int) throws -> Range<Int64> {
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
