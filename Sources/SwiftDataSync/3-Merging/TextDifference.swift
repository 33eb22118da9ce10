/// The differences between two sequences of tokens.
///
/// The algorithm is the greedy one of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (Algorithmica 1,
/// 1986). Its work is bounded: sequences that differ more than the limits become a single difference, between their
/// common beginning and end.
struct TextDifference {
  /// A range of the base and the range of the side that takes its place.
  struct Hunk: Equatable {
    var base: Range<Int>
    var side: Range<Int>
  }

  /// The maximum number of inserted and removed tokens.
  static let maximumEdits = 1_000
  /// The maximum number of comparisons of tokens.
  static let maximumComparisons = 2_000_000

  /// The hunks, in the order of the base; between two of them is at least one common token.
  let hunks: [Hunk]

  init(from base: [Int], to side: [Int]) {
    var start = 0
    let shorter = min(base.count, side.count)
    while start < shorter, base[start] == side[start] { start += 1 }
    var end = 0
    while end < shorter - start, base[base.count - 1 - end] == side[side.count - 1 - end] {
      end += 1
    }
    let first = start..<(base.count - end)
    let second = start..<(side.count - end)
    let pairs = Self.pairs(base[first], side[second])
    var hunks: [Hunk] = []
    var (x, y) = (first.lowerBound, second.lowerBound)
    for pair in pairs + [(first.upperBound, second.upperBound)] {
      if x < pair.0 || y < pair.1 { hunks.append(Hunk(base: x..<pair.0, side: y..<pair.1)) }
      (x, y) = (pair.0 + 1, pair.1 + 1)
    }
    self.hunks = hunks
  }

  /// Returns the positions of the common tokens, ascending; none beyond the limits.
  private static func pairs(_ base: ArraySlice<Int>, _ side: ArraySlice<Int>) -> [(Int, Int)] {
    guard !base.isEmpty, !side.isEmpty else { return [] }
    let (n, m) = (base.count, side.count)
    let most = min(n + m, maximumEdits)
    /// The position in the base that is reached furthest on each diagonal, base minus side.
    var furthest = [Int](repeating: 0, count: 2 * most + 3)
    /// The parts of `furthest` after each number of edits.
    var rounds: [[Int]] = []
    var comparisons = 0
    for edits in 0...most {
      for diagonal in stride(from: -edits, through: edits, by: 2) {
        let place = diagonal + most + 1
        let isInsertion =
          diagonal == -edits
          || (diagonal != edits && furthest[place - 1] < furthest[place + 1])
        var x = isInsertion ? furthest[place + 1] : furthest[place - 1] + 1
        while x < n, x - diagonal < m,
          base[base.startIndex + x] == side[side.startIndex + x - diagonal]
        {
          x += 1
          comparisons += 1
        }
        comparisons += 1
        furthest[place] = x
        if diagonal == n - m, x >= n {
          return path(rounds, n, m).map { (base.startIndex + $0.0, side.startIndex + $0.1) }
        }
      }
      guard comparisons < maximumComparisons else { return [] }
      rounds.append(Array(furthest[(most + 1 - edits)...(most + 1 + edits)]))
    }
    return []
  }

  /// Returns the common tokens on the way that the rounds found, from its end to its beginning.
  private static func path(
    _ rounds: [[Int]], _ n: Int, _ m: Int
  ) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    var (x, y) = (n, m)
    for (edits, round) in rounds.enumerated().reversed() {
      let diagonal = x - y
      // The edit after this round began on one of the two neighbours of the diagonal.
      let isInsertion =
        diagonal == -(edits + 1)
        || (diagonal != edits + 1 && round[edits + diagonal - 1] < round[edits + diagonal + 1])
      let before = isInsertion ? diagonal + 1 : diagonal - 1
      let reached = round[edits + before]
      while x > (isInsertion ? reached : reached + 1) {
        x -= 1
        y -= 1
        pairs.append((x, y))
      }
      (x, y) = (reached, reached - before)
    }
    // What is left is common.
    while x > 0, y > 0 {
      x -= 1
      y -= 1
      pairs.append((x, y))
    }
    return pairs.reversed()
  }
}
