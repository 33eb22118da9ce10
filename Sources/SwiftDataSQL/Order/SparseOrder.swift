/// Positions of rows in an order: integers with gaps between them, so that moving one row among many writes one row.
///
/// Rows whose positions are already ascending keep them (as many as possible), the others get positions between their
/// neighbors. When there is no gap left between two rows, all get new positions.
package struct SparseOrder {
  /// The gap after the last row: enough for twenty halvings.
  package static let gap: Int64 = 1 << 20

  /// The positions to write, by row.
  package private(set) var changes: [(row: Int64, position: Int64)] = []

  /// - Parameters:
  ///   - rows: The rows in the requested order, each once.
  ///   - stored: The stored positions of rows; a row that is new to the order has none.
  ///   - others: The highest position of rows other than `rows`; new rows at the end come after it.
  package init(rows: [Int64], stored: [Int64: Int64], behind others: Int64? = nil) {
    let known = rows.map { stored[$0] }
    let kept = Self.longestAscending(known)
    var positions = known
    var start = 0
    var isFull = false
    for end in kept + [rows.count] where !isFull {
      if end > start {
        let low = start > 0 ? positions[start - 1] : nil
        let high = end < rows.count ? positions[end] : nil
        if let made = Self.between(low, high, count: end - start, behind: others) {
          for (offset, position) in made.enumerated() { positions[start + offset] = position }
        } else {
          isFull = true
        }
      }
      start = end + 1
    }
    if isFull { positions = rows.indices.map { Int64($0 + 1) * Self.gap } }
    for (index, row) in rows.enumerated() {
      if let position = positions[index], position != known[index] {
        changes.append((row, position))
      }
    }
  }

  /// Positions between two rows; nil when there is no gap.
  private static func between(
    _ low: Int64?, _ high: Int64?, count: Int, behind others: Int64?
  ) -> [Int64]? {
    let count = Int64(count)
    switch (low, high) {
    case (let low, nil):
      let start = max(low ?? 0, others ?? low ?? 0)
      let (room, isTooFar) = gap.multipliedReportingOverflow(by: count)
      guard !isTooFar, !start.addingReportingOverflow(room).overflow else { return nil }
      return (1...count).map { start + gap * $0 }
    case (nil, let high?):
      let (room, isTooFar) = gap.multipliedReportingOverflow(by: count)
      guard !isTooFar, !high.subtractingReportingOverflow(room).overflow else { return nil }
      return (1...count).map { high - gap * (count - $0 + 1) }
    case (let low?, let high?):
      let (room, isTooWide) = high.subtractingReportingOverflow(low)
      guard !isTooWide, room > count else { return nil }
      let step = room / (count + 1)
      return (1...count).map { low + step * $0 }
    }
  }

  /// The indices of a longest strictly ascending subsequence, by patience sorting.
  private static func longestAscending(_ values: [Int64?]) -> [Int] {
    // The index of the smallest last value of a subsequence of each length.
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: values.count)
    for (index, value) in values.enumerated() {
      guard let value else { continue }
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if let tail = values[tails[middle]], tail < value {
          low = middle + 1
        } else {
          high = middle
        }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var chosen: [Int] = []
    var next = tails.last
    while let index = next {
      chosen.append(index)
      next = previous[index]
    }
    return chosen.reversed()
  }
}
