import BenchmarkSupport

/// What is looked for, the same for every implementation.
enum Lookups {
  /// The keys of 10,000 rows, some of them more than once.
  static func codes(_ rows: Int) -> [String] {
    let all = QuakeRows(rows).map(\.code)
    var random = SplitMix(seed: 2)
    return (0..<10_000).map { _ in all[random.below(rows)] }
  }

  /// A thousand moments within the rows.
  static func times(_ rows: Int) -> [Double] {
    var random = SplitMix(seed: 3)
    return (0..<1_000).map { _ in 800_000_000 - Double(random.below(rows * 26)) }
  }

  /// How many rows are edited.
  static func edits(_ rows: Int) -> Int { min(10_000, rows) }
}
