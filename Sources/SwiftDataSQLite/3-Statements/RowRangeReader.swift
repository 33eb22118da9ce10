import SwiftDataCore
import SwiftDataSQL
import Synchronization

/// Rows with consecutive IDs, ascending or descending.
struct RowIDRange: Equatable {
  let first: Int64
  private(set) var last: Int64

  init(_ rowID: Int64) {
    first = rowID
    last = rowID
  }

  var isDescending: Bool { last < first }
  var count: Int { Int(isDescending ? first - last : last - first) + 1 }

  /// Appends the next row.
  ///
  /// - Returns: False when its ID doesn't continue the range.
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

/// Reads the rows of a query that are in the file in the order of the query's index.
///
/// An index leads from one row to the next by a search through the whole tree of the table. Rows that are downloaded
/// newest first and requested by time, or written as they occur, have the same order in the table as in the index,
/// ascending or descending: then the IDs are read from the index alone, and each range of them is read from one end to
/// the other. In MariaDB, reading the IDs first is called multi-range read.
///
/// Whether that pays is tested again from time to time, the more rarely the more often it didn't.
final class RowRangeReader: Sendable {
  /// The minimum number of rows of a query for which two statements pay.
  static let minimumRows = 32
  /// The minimum average number of rows per range.
  private static let minimumAverageLength = 8
  /// The number of uses between two tries, at first and at most.
  private static let (minimumInterval, maximumInterval) = (8, 4096)

  /// The statements that read the rows between two IDs, the lower one first, in ascending and descending order.
  struct Statements: Sendable {
    let ascending: StatementText
    let descending: StatementText

    /// - Parameter select: The columns and tables, with `t0` as the first table.
    init(_ select: String) {
      let range =
        select + " WHERE t0.\(SQLIdentifier.rowID) BETWEEN ? AND ?"
        + " ORDER BY t0.\(SQLIdentifier.rowID)"
      ascending = StatementText(range)
      descending = StatementText(range + " DESC")
    }
  }

  /// The IDs of the rows in the query's order.
  let rowIDs: StatementText
  private let select: StatementText

  private enum Fit: UInt8, AtomicRepresentable {
    case unknown, fits, doesNot
  }

  private let fit = Atomic(Fit.unknown)
  /// The number of times that the query is run in the usual way until the next try. For a query that is run once,
  /// trying doesn't pay.
  private let pause = Atomic(1)
  private let nextPause = Atomic(RowRangeReader.minimumInterval)

  /// - Parameters:
  ///   - source: The query from `WHERE` on.
  ///   - select: The whole query.
  init(_ statements: EntityStatements, source: String, select: StatementText) {
    rowIDs = StatementText(
      "SELECT t0.\(SQLIdentifier.rowID) FROM \(statements.table)"
        + " AS t0\(source)")
    self.select = select
  }

  /// Whether a query for at most `limit` rows may return enough of them; nil and 0 mean no limit.
  static func mayPayOff(limit: Int?) -> Bool {
    guard let limit, limit != 0 else { return true }
    return limit >= minimumRows
  }

  /// Whether to try now.
  var isDue: Bool {
    guard SpeedSwitches.readsRanges else { return false }
    let left = pause.load(ordering: .relaxed)
    if left > 0 { pause.store(left - 1, ordering: .relaxed) }
    return left == 0 && fit.load(ordering: .relaxed) != .doesNot
  }

  /// Records whether the rows were in ranges of consecutive IDs.
  func record(isUseful: Bool) {
    if isUseful { return nextPause.store(Self.minimumInterval, ordering: .relaxed) }
    let next = nextPause.load(ordering: .relaxed)
    pause.store(next, ordering: .relaxed)
    nextPause.store(min(next * 2, Self.maximumInterval), ordering: .relaxed)
  }

  /// Whether one index contains the IDs and is also used to find the rows, according to SQLite's query plan
  /// (https://sqlite.org/eqp.html). Then the order of rows that compare equal is also the same.
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

  /// Whether the number of ranges is small enough for the number of rows.
  static func isWorthwhile(ranges: Int, rows: Int) -> Bool { ranges * minimumAverageLength <= rows }
}
