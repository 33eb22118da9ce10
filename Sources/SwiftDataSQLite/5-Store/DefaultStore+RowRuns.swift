import CSQLite
import SwiftDataCore
import SwiftDataSQL

extension DefaultStore {
  /// The number of IDs that are read from the index at a time.
  private static let idsAtATime = 256

  /// Calls `body` with a statement positioned at a row, for each row of a query whose rows are in runs.
  ///
  /// - Parameter texts: The statements that read a run; their first column is the row's ID.
  /// - Returns: False when the rows aren't in runs, or it isn't time to try, and `body` wasn't called.
  func forEachRowInRuns(
    of query: SQLiteQuery, by texts: RowRuns.Texts, _ connection: Connection,
    _ body: (Statement) throws -> Void
  ) throws -> Bool {
    guard let runs = query.form.runs, runs.isDue, try runs.fits(connection) else { return false }
    return try connection.atOneMoment {
      let ids = try connection.statement(runs.rowIDs)
      defer { ids.reset() }
      try ids.bind(query.bindings)
      var list = RunList(ids: ids)
      try list.collect(RowRuns.fewestRows)
      guard list.rowCount == RowRuns.fewestRows,
        RowRuns.isWorthwhile(runs: list.runs.count, rows: list.rowCount)
      else {
        runs.note(isUseful: false)
        return false
      }
      var heapReservation = HeapReservation()
      var runCount = 0
      repeat {
        // The last run may continue.
        try list.collect(Self.idsAtATime)
        for run in list.runs {
          try forEachRow(in: run, of: query.statements.plan, by: texts, connection) {
            heapReservation.next()
            try body($0)
          }
        }
        runCount += list.runs.count
        list.runs.removeAll(keepingCapacity: true)
      } while !list.isAtEnd
      runs.note(isUseful: RowRuns.isWorthwhile(runs: runCount, rows: list.rowCount))
      return true
    }
  }

  private func forEachRow(
    in run: RowRun, of plan: EntityPlan, by texts: RowRuns.Texts, _ connection: Connection,
    _ body: (Statement) throws -> Void
  ) throws {
    let text = run.isDescending ? texts.descending : texts.ascending
    let statement = try connection.statement(text)
    defer { statement.reset() }
    statement.isCounted = false
    try statement.bind(.integer(min(run.first, run.last)), at: 1)
    try statement.bind(.integer(max(run.first, run.last)), at: 2)
    var count = 0
    while try statement.step() {
      count += 1
      try body(statement)
    }
    guard count == run.count else {
      throw StoreError(
        .damaged, path: connection.path,
        explanation:
          "an index of \(plan.name) names rows that aren't there; restore it from a copy",
        resultCode: SQLITE_CORRUPT, sql: text.sql)
    }
  }
}

/// The runs formed by the IDs of a statement.
private struct RunList {
  let ids: Statement
  var runs: [RowRun] = []
  /// The number of IDs read so far, in all runs.
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
      if runs.isEmpty || !runs[runs.count - 1].extend(rowID) { runs.append(RowRun(rowID)) }
    }
  }
}
