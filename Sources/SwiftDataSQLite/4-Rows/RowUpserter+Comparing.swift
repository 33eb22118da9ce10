import SwiftDataCore

/// Compares rows that already exist before writing them. Most rows of a feed are unchanged, and finding that out costs
/// less than an upsert without effect.
extension RowUpserter {
  /// A stored row with the unique values of a waiting row.
  struct Found {
    let rowID: Int64
    /// Whether all its values have exactly the same form. An upsert may find other values equal, too, such as 0 and -0.
    let isEqual: Bool
  }

  /// Finds the stored rows with the unique values of a group of rows, which begins at the position `first`.
  ///
  /// - Returns: The stored rows by position in the group; nil when there are none.
  func findMatchesOfGroup(_ first: Int, _ count: Int) throws -> [Found?]? {
    guard let constraint = plan.uniqueness.first else { return nil }
    var found = [Found?](repeating: nil, count: count)
    try row.cells.withUnsafeBufferPointer { cells in
      try row.arena.withUnsafeBytes { arena in
        let cells = UnsafeBufferPointer(rebasing: cells[(first * plan.columns.count)...])
        let following = try findMatchesAfterLast(RowCells(cells, arena), constraint, &found)
        if following < count { try findMatches(from: following, cells, arena, constraint, &found) }
      }
    }
    scanOrder.record(found)
    return found.contains { $0 != nil } ? found : nil
  }

  /// Compares the rows after the last found row with the waiting rows. Feeds that are read again deliver rows in the
  /// order in which these were inserted, and adjacent rows need no search.
  ///
  /// - Returns: The number of rows found this way; the remaining rows still have to be searched for.
  private func findMatchesAfterLast(
    _ rows: RowCells, _ constraint: [Int], _ found: inout [Found?]
  ) throws -> Int {
    guard plan.family == nil, let last = scanOrder.last, let direction = scanOrder.direction else {
      return 0
    }
    let statement = try connection.statement(
      direction == .descending ? readings.descending : readings.ascending)
    defer { statement.reset() }
    try statement.bind(.integer(last), at: 1)
    var position = 0
    while position < found.count, try statement.step() {
      let start = position * plan.columns.count
      let cells = statement.row(from: 1)
      guard rows.isSame(constraint, from: start, as: cells) else { break }
      found[position] = Found(
        rowID: statement.rowID(),
        isEqual: rows.isEqual(
          comparedColumns, from: start,
          to: UnsafeBufferPointer(rebasing: cells[constraint.count...])))
      position += 1
    }
    return position
  }

  private func findMatches(
    from first: Int, _ cells: UnsafeBufferPointer<_Cell>, _ arena: UnsafeRawBufferPointer,
    _ constraint: [Int], _ found: inout [Found?]
  ) throws {
    let statement = try lookupStatement(found.count, constraint)
    defer { statement.reset() }
    let bytes = arena.assumingMemoryBound(to: UInt8.self).baseAddress
    var parameter: Int32 = 1
    for position in found.indices {
      for column in constraint {
        if position < first {
          // No value is equal to NULL.
          try statement.bind(.null, at: parameter)
        } else {
          let cell = cells[position * plan.columns.count + column]
          try statement.bind(cell, arena: bytes, at: parameter)
        }
        parameter += 1
      }
    }
    let rows = RowCells(cells, arena)
    while try statement.step() {
      let position = Int(statement.rowID(at: 0))
      found[position] = Found(
        rowID: statement.rowID(at: 1),
        isEqual: rows.isEqual(
          comparedColumns, from: position * plan.columns.count, to: statement.row(from: 2)))
    }
  }

  private func lookupStatement(_ count: Int, _ constraint: [Int]) throws -> Statement {
    if let preparedLookup, !preparedLookup.isInUse { return preparedLookup }
    let statement = try connection.statement(
      statements.lookUpRows(count: count, by: constraint, comparedColumns))
    preparedLookup = statement
    return statement
  }

  /// Upserts the rows that differ from the stored ones, in order.
  func writeDifferent(_ first: Int, _ found: [Found?], needsRowID: Bool) -> [WriteOutcome] {
    grouping.recordEqual(found.count { $0?.isEqual == true })
    // The comparison is out of date for later rows with the same row ID.
    var written: [Int64] = []
    return found.indices.map { position in
      if let found = found[position] {
        if found.isEqual, !written.contains(found.rowID) {
          return .unchanged(found.rowID)
        }
        written.append(found.rowID)
      }
      select(first + position)
      return outcome(needsRowID: needsRowID)
    }
  }
}

/// The order in which rows are found.
struct ScanOrder {
  enum Direction { case ascending, descending }

  /// The last row found.
  private(set) var last: Int64?
  /// The direction in which the rows found last follow each other; nil when there is none.
  private(set) var direction: Direction?

  mutating func record(_ found: [RowUpserter.Found?]) {
    var steps = (up: 0, down: 0)
    var previous: Int64?
    for case let found? in found {
      if let previous {
        // IDs from other programs may be further apart than their type can express.
        if (1...2).contains(found.rowID &- previous) { steps.up += 1 }
        if (1...2).contains(previous &- found.rowID) { steps.down += 1 }
      }
      previous = found.rowID
    }
    last = previous
    direction =
      if steps.up * 2 >= found.count {
        .ascending
      } else if steps.down * 2 >= found.count {
        .descending
      } else {
        nil
      }
  }
}
