import Foundation
import SwiftDataCore

/// Gives IDs to new rows, from blocks of the store's sequence: no ID is given twice, by any process.
final class RowIDSource: Sendable {
  private let lock = NSLock()
  nonisolated(unsafe) private var next: Int64 = 0
  nonisolated(unsafe) private var end: Int64 = 0

  /// Returns a number of IDs, ascending.
  func take(_ count: Int, _ connection: PostgresConnection) throws -> [Int64] {
    guard count > 0 else { return [] }
    var rowIDs: [Int64] = []
    rowIDs.reserveCapacity(count)
    take(count, into: &rowIDs)
    let missing = count - rowIDs.count
    guard missing > 0 else { return rowIDs }
    let size = Int64(StoreTables.rowIDBlock)
    let blocks = (missing + StoreTables.rowIDBlock - 1) / StoreTables.rowIDBlock
    let starts = try connection.run(
      "SELECT nextval('\"_rows\"') FROM generate_series(1, $1::bigint)",
      [.integer(Int64(blocks))])
    for row in 0..<starts.rowCount {
      guard let start = starts.integer(row, 0) else { continue }
      let used = min(size, Int64(count - rowIDs.count))
      rowIDs += start..<start + used
      // Another thread may have put a block here meanwhile; what is left of it is given up.
      if used < size { lock.withLock { (next, end) = (start + used, start + size) } }
    }
    return rowIDs
  }

  private func take(_ count: Int, into rowIDs: inout [Int64]) {
    lock.withLock {
      let taken = min(Int64(count), end - next)
      rowIDs += next..<next + taken
      next += taken
    }
  }
}
