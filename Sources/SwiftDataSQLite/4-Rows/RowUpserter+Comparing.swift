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
    comparison.scanOrder.record(found)
    return found.contains { $0 != nil } ? found : nil
  }

  /// Compares the rows after the last found row with the waiting rows. Feeds that are read again deliver rows in the
  /// order in which these were inserted, and adjacent rows need no search.
  ///
  /// - Returns: The number of rows found this way; the remaining rows still have to be searched for.
  private func findMatchesAfterLast(
    _ rows: RowCells, _ constraint: [Int], _ found: inout [Found?]
  ) throws -> Int {
    guard plan.family == nil, let last = comparison.scanOrder.last,
      let direction = comparison.scanOrder.direction
    else { return 0 }
    let statement = try connection.statement(
      comparison.reading(direction, statements, count: grouping.size))
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
          comparison.columns, from: start,
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
          comparison.columns, from: position * plan.columns.count, to: statement.row(from: 2)))
    }
  }

  private func lookupStatement(_ count: Int, _ constraint: [Int]) throws -> Statement {
    if let lookup = comparison.lookup, !lookup.isInUse { return lookup }
    let statement = try connection.statement(
      statements.lookUpRows(count: count, by: constraint, comparison.columns))
    comparison.lookup = statement
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

/// The state for comparing rows that may exist.
struct RowComparison {
  /// The columns in which a row can differ from the row with its unique values: those that an upsert sets.
  let columns: [Int]
  /// The statement that looks up a whole group.
  var lookup: Statement?
  /// The order in which existing rows were found.
  var scanOrder = ScanOrder()
  /// The statements that read rows in their order; nil until needed, because few saves need them.
  private var readings: (ascending: StatementText, descending: StatementText)?

  init(_ columns: [Int]) { self.columns = columns }

  /// The statement that reads the next rows in a direction.
  ///
  /// - Parameter count: The maximum number of rows; the same in each call.
  mutating func reading(
    _ direction: ScanOrder.Direction, _ statements: EntityStatements, count: Int
  ) -> StatementText {
    let readings = readings ?? makeReadings(statements, count)
    self.readings = readings
    return direction == .descending ? readings.descending : readings.ascending
  }

  private func makeReadings(
    _ statements: EntityStatements, _ count: Int
  ) -> (ascending: StatementText, descending: StatementText) {
    let columns = (statements.plan.uniqueness.first ?? []) + columns
    func reading(_ descending: Bool) -> StatementText {
      StatementText(statements.read(count, columns, descending: descending))
    }
    return (reading(false), reading(true))
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
