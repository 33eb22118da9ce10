/// Finds the positions of rows in a list that is in a store's order. The list's values aren't known here: the store
/// sorts the rows together with a few of the list's rows at a time, so finding a position takes a number of rows that
/// grows with the logarithm of the list's length.
enum PositionSearch {
  /// The approximate number of the list's rows that are compared in a round.
  private static let pivotsInRound = 512
  private static let maximumPivots = 64
  private static let minimumPivots = 3
  /// The maximum number of rounds, far more than are needed.
  private static let maximumRounds = 64

  /// The position in `list` in front of which each of `rows` belongs.
  ///
  /// - Parameters:
  ///   - rows: Rows that aren't in the list, in order.
  ///   - order: Sorts rows and returns all of them that exist.
  /// - Returns: nil when the list isn't in that order, or has rows that don't exist.
  static func positions(
    of rows: [Int64], in list: KeyList, order: ([Int64]) throws -> [Int64]
  ) rethrows -> [Int]? {
    var ranges = rows.map { _ in 0..<list.count }
    for _ in 0..<maximumRounds {
      guard ranges.contains(where: { !$0.isEmpty }) else { break }
      let pivots = pivots(ranges, list)
      let open = rows.indices.filter { !ranges[$0].isEmpty }
      let ordered = try order(pivots.map(\.key) + open.map { rows[$0] })
      guard ordered.count == pivots.count + open.count,
        narrow(&ranges, rows, open, pivots, ordered)
      else { return nil }
    }
    guard ranges.allSatisfy(\.isEmpty) else { return nil }
    let found = ranges.map(\.lowerBound)
    return zip(found, found.dropFirst()).allSatisfy { $0 <= $1 } ? found : nil
  }

  /// Rows of the list, evenly distributed where positions are still open, in the order of the list.
  private static func pivots(
    _ ranges: [Range<Int>], _ list: KeyList
  ) -> [(key: Int64, position: Int)] {
    var open: [Range<Int>] = []
    for range in ranges where !range.isEmpty && range != open.last { open.append(range) }
    let wanted = max(minimumPivots, min(maximumPivots, pivotsInRound / max(1, open.count)))
    var positions: [Int] = []
    for range in open {
      let number = min(wanted, range.count)
      for part in 0..<number {
        let position = range.lowerBound + range.count * (2 * part + 1) / (2 * number)
        if position > positions.last ?? -1 { positions.append(position) }
      }
    }
    return positions.map { (list[$0], $0) }
  }

  /// Narrows the ranges of positions by an ordering of pivots and rows.
  ///
  /// - Returns: False when the pivots are in another order than in the list.
  private static func narrow(
    _ ranges: inout [Range<Int>], _ rows: [Int64], _ open: [Int],
    _ pivots: [(key: Int64, position: Int)], _ ordered: [Int64]
  ) -> Bool {
    var pivot = 0
    var row = 0
    for key in ordered {
      if pivot < pivots.count, key == pivots[pivot].key {
        pivot += 1
      } else if row < open.count, key == rows[open[row]] {
        let range = ranges[open[row]]
        let low =
          pivot > 0 ? max(range.lowerBound, pivots[pivot - 1].position + 1) : range.lowerBound
        let high =
          pivot < pivots.count ? min(range.upperBound, pivots[pivot].position) : range.upperBound
        guard low <= high else { return false }
        ranges[open[row]] = low..<high
        row += 1
      } else {
        return false
      }
    }
    return true
  }
}
