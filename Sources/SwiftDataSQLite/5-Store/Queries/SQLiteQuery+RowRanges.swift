import CSQLite
import SwiftDataCore
import SwiftDataSQL

extension SQLiteQuery {
  /// The number of IDs that are read from the index at a time.
  private static let idsAtATime = 256

  /// Calls `body` with a statement positioned at a row, for each row, if the rows are in ranges of IDs.
  ///
  /// - Parameter texts: The statements that read a range; their first column is the row's ID.
  /// - Returns: False when the rows aren't in ranges, or it isn't time to try, and `body` wasn't called.
  func forEachRowInRanges(
    by texts: RowRangeReader.Statements, _ connection: Connection,
    _ body: (Statement) throws -> Void
  ) throws -> Bool {
    guard let reader = form.rangeReader, reader.isDue, try reader.fits(connection) else {
      return false
    }
    return try connection.inReadTransaction {
      let ids = try connection.statement(reader.rowIDs)
      defer { ids.reset() }
      try ids.bind(bindings)
      var list = RowIDRangeList(ids: ids)
      try list.collect(RowRangeReader.minimumRows)
      guard list.rowCount == RowRangeReader.minimumRows,
        RowRangeReader.isWorthwhile(ranges: list.ranges.count, rows: list.rowCount)
      else {
        reader.record(isUseful: false)
        return false
      }
      var heapReservation = HeapReservation()
      var rangeCount = 0
      repeat {
        // The last range may continue.
        try list.collect(Self.idsAtATime)
        for range in list.ranges {
          try forEachRow(in: range, of: statements.plan, by: texts, connection) {
            heapReservation.next()
            try body($0)
          }
        }
        rangeCount += list.ranges.count
        list.ranges.removeAll(keepingCapacity: true)
      } while !list.isAtEnd
      reader.record(isUseful: RowRangeReader.isWorthwhile(ranges: rangeCount, rows: list.rowCount))
      return true
    }
  }

  private func forEachRow(
    in range: RowIDRange, of plan: EntityPlan, by texts: RowRangeReader.Statements,
    _ connection: Connection,
    _ body: (Statement) throws -> Void
  ) throws {
    let text = range.isDescending ? texts.descending : texts.ascending
    let statement = try connection.statement(text)
    defer { statement.reset() }
    statement.isCounted = false
    try statement.bind(.integer(min(range.first, range.last)), at: 1)
    try statement.bind(.integer(max(range.first, range.last)), at: 2)
    var count = 0
    while try statement.step() {
      count += 1
      try body(statement)
    }
    guard count == range.count else {
      throw StoreError(
        .damaged, path: connection.path,
        explanation:
          "an index of \(plan.name) names rows that aren't there; restore it from a copy",
        resultCode: SQLITE_CORRUPT, sql: text.sql)
    }
  }
}

/// The ranges formed by the IDs of a statement.
private struct RowIDRangeList {
  let ids: Statement
  var ranges: [RowIDRange] = []
  /// The number of IDs read so far, in all ranges.
  private(set) var rowCount = 0
  private(set) var isAtEnd = false

  init(ids: Statement) { self.ids = ids }

  /// Reads the next IDs, at most `most`.
  mutating func collect(_ most: Int) throws {
    for _ in 0..<most {
      guard try ids.step() else {
        isAtEnd = true
        return
      }
      rowCount += 1
      let rowID = ids.rowID()
      if ranges.isEmpty || !ranges[ranges.count - 1].extend(rowID) {
        ranges.append(RowIDRange(rowID))
      }
    }
  }
}
