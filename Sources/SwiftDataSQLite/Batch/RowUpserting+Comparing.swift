import SwiftDataCore

/// Rows that are there already are looked at before they are written. Most rows of a feed are as they were, and to find
/// that costs less than an upsert that comes to nothing.
extension RowUpserting {
  /// A row that has the unique values of one that waits.
  struct Found {
    let rowID: Int64
    /// Whether it has all values in the very same form. An upsert may find others equal, too, such as 0 and -0.
    let isEqual: Bool
  }

  /// Looks for the rows with the unique values of those that wait.
  ///
  /// - Returns: By position; nil when there is none at all.
  func lookTogether(_ count: Int) throws -> [Found?]? {
    guard let constraint = plan.uniqueness.first else { return nil }
    let statement = try lookStatement(count, constraint)
    defer { statement.reset() }
    var found = [Found?](repeating: nil, count: count)
    var isEmpty = true
    try row.arena.withUnsafeBufferPointer { arena in
      var parameter: Int32 = 1
      for position in 0..<count {
        for column in constraint {
          let cell = position * plan.columns.count + column
          try statement.bind(row.cells[cell...cell], arena: arena.baseAddress, at: parameter)
          parameter += 1
        }
      }
      while try statement.step() {
        let position = Int(statement.rowID(at: 0))
        found[position] = Found(
          rowID: statement.rowID(at: 1),
          isEqual: row.isEqual(
            comparedColumns, from: position * plan.columns.count, to: statement.row(from: 2)))
        isEmpty = false
      }
    }
    return isEmpty ? nil : found
  }

  private func lookStatement(_ count: Int, _ constraint: [Int]) throws -> Statement {
    if let preparedLook, !preparedLook.isInUse { return preparedLook }
    let statement = try connection.statement(
      statements.look(up: count, by: constraint, comparedColumns))
    preparedLook = statement
    return statement
  }

  /// Upserts the rows that aren't stored as they are, in order.
  func writeDifferent(_ count: Int, _ found: [Found?], needsRowID: Bool) -> [Outcome] {
    grouping.noteEqual(found.count { $0?.isEqual == true })
    // What was seen of them is out of date for the rows that follow.
    var written: [Int64] = []
    return (0..<count).map { position in
      if let found = found[position] {
        if found.isEqual, !written.contains(found.rowID) {
          return .success((found.rowID, .unchanged))
        }
        written.append(found.rowID)
      }
      select(position)
      return Outcome { try upsert(needsRowID: needsRowID) }
    }
  }
}
