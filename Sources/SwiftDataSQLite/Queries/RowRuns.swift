import SwiftDataCore
import SwiftDataSQL
import Synchronization

/// Rows whose ids follow each other, up or down.
struct RowRun: Equatable {
  let first: Int64
  private(set) var last: Int64

  init(_ rowID: Int64) {
    first = rowID
    last = rowID
  }

  var isDescending: Bool { last < first }
  var count: Int { Int(isDescending ? first - last : last - first) + 1 }

  /// Takes a row in that comes next.
  ///
  /// - Returns: False when it doesn't go on as the run does.
  mutating func extend(_ rowID: Int64) -> Bool {
    let next: (partialValue: Int64, overflow: Bool) =
      if last > first || (last == first && rowID > first) {
        last.addingReportingOverflow(1)
      } else {
        last.subtractingReportingOverflow(1)
      }
    guard !next.overflow, rowID == next.partialValue else { return false }
    last = rowID
    return true
  }
}

/// How the rows of a query are read that stand in the file as its index has them.
///
/// An index leads from one row to the next by a search through the whole tree of the table. What is downloaded newest
/// first and asked for by time, or written as it happens, lies in the table as it does in the index, up or down: then the
/// ids are taken from the index alone, and each run of them is read from one end to the other. MariaDB's name for taking
/// the ids first is multi-range read.
///
/// Whether that pays is found out anew now and then, the more rarely the more often it didn't.
final class RowRuns: Sendable {
  /// A query that gives fewer rows isn't worth two statements.
  static let fewestRows = 32
  /// Of so many rows that come first, this part at most may begin a run.
  private static let runsOneIn = 8
  /// So many uses lie between two tries at first, and so many in the end.
  private static let (leastUsesBetween, mostUsesBetween) = (8, 4096)

  /// What reads the rows between two ids, the lower one first, in their order and against it.
  struct Texts: Sendable {
    let ascending: StatementText
    let descending: StatementText

    /// - Parameter select: The columns and tables, whose first one is `t0`.
    init(_ select: String) {
      let run = select + " WHERE t0.\"_id\" BETWEEN ? AND ? ORDER BY t0.\"_id\""
      ascending = StatementText(run)
      descending = StatementText(run + " DESC")
    }
  }

  /// The ids of the rows in the query's order.
  let rowIDs: StatementText
  private let select: StatementText

  private enum Fit: UInt8, AtomicRepresentable {
    case unknown, fits, doesNot
  }

  private let fit = Atomic(Fit.unknown)
  /// How often the query is run in the usual way until the next try. One that is asked for once doesn't pay for finding
  /// out.
  private let pause = Atomic(1)
  private let nextPause = Atomic(RowRuns.leastUsesBetween)

  /// - Parameters:
  ///   - source: The query from `WHERE` on.
  ///   - select: The whole query.
  init(_ statements: EntityStatements, source: String, select: StatementText) {
    rowIDs = StatementText("SELECT t0.\"_id\" FROM \(statements.table) AS t0\(source)")
    self.select = select
  }

  /// Whether a query for at most `limit` rows may give enough of them; nil and 0 are no limit.
  static func areWanted(limit: Int?) -> Bool {
    guard let limit, limit != 0 else { return true }
    return limit >= fewestRows
  }

  /// Whether to try now.
  var isDue: Bool {
    let left = pause.load(ordering: .relaxed)
    if left > 0 { pause.store(left - 1, ordering: .relaxed) }
    return left == 0 && fit.load(ordering: .relaxed) != .doesNot
  }

  /// Notes whether the rows lay in runs.
  func note(isUseful: Bool) {
    if isUseful { return nextPause.store(Self.leastUsesBetween, ordering: .relaxed) }
    let next = nextPause.load(ordering: .relaxed)
    pause.store(next, ordering: .relaxed)
    nextPause.store(min(next * 2, Self.mostUsesBetween), ordering: .relaxed)
  }

  /// Whether one index has the ids, and the rows are found by the same: SQLite says so
  /// (https://sqlite.org/eqp.html). The order of rows that are equal to the query is then the same, too.
  func fits(_ connection: Connection) throws -> Bool {
    switch fit.load(ordering: .relaxed) {
    case .fits: return true
    case .doesNot: return false
    case .unknown: break
    }
    let ids = try connection.plan(of: rowIDs.sql)
    let rows = try connection.plan(of: select.sql)
    let found =
      ids.count == 1 && rows.count == 1 && ids[0].text.contains(" USING COVERING INDEX ")
      && ids[0].text.replacing(" USING COVERING INDEX ", with: " USING INDEX ") == rows[0].text
    fit.store(found ? .fits : .doesNot, ordering: .relaxed)
    return found
  }

  /// Whether so many runs are few enough for so many rows.
  static func isWorthwhile(runs: Int, rows: Int) -> Bool { runs * runsOneIn <= rows }
}
