import Foundation
import SwiftDataCore

/// Gives IDs to new rows, from blocks of the store's sequence: no ID is given to two rows, by any process.
final class RowIDSource: Sendable {
  private let lock = NSLock()
  /// The IDs that are free, ascending.
  nonisolated(unsafe) private var free: [Range<Int64>] = []

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
      if used < size { add(start + used..<start + size) }
    }
    return rowIDs
  }

  /// Takes back IDs that no row has got.
  ///
  /// - Parameter rowIDs: The IDs, ascending.
  func giveBack(_ rowIDs: some Sequence<Int64>) {
    var range: Range<Int64>?
    for rowID in rowIDs {
      if let open = range, open.upperBound == rowID {
        range = open.lowerBound..<rowID + 1
      } else {
        if let range { add(range) }
        range = rowID..<rowID + 1
      }
    }
    if let range { add(range) }
  }

  /// Forgets the free IDs, since the server may have crashed: it gives those again that a transaction took which it
  /// hadn't stored (https://www.postgresql.org/docs/15/functions-sequence.html).
  func forget() { lock.withLock { free = [] } }

  private func add(_ range: Range<Int64>) {
    lock.withLock {
      let place = free.firstIndex { $0.lowerBound > range.lowerBound } ?? free.count
      free.insert(range, at: place)
    }
  }

  private func take(_ count: Int, into rowIDs: inout [Int64]) {
    lock.withLock {
      while rowIDs.count < count, let first = free.first {
        let end = min(first.lowerBound + Int64(count - rowIDs.count), first.upperBound)
        rowIDs += first.lowerBound..<end
        if end < first.upperBound {
          free[0] = end..<first.upperBound
        } else {
          free.removeFirst()
        }
      }
    }
  }
}
