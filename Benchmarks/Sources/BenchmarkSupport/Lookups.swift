/// The values to look up, the same for every implementation.
public enum Lookups {
  /// The keys of 10,000 rows; some occur more than once.
  public static func codes(_ rows: Int) -> [String] {
    let all = QuakeRows(rows).map(\.code)
    var random = SplitMix(seed: 2)
    return (0..<10_000).map { _ in all[random.below(rows)] }
  }

  /// A thousand times within the range of the rows.
  public static func times(_ rows: Int) -> [Double] {
    var random = SplitMix(seed: 3)
    return (0..<1_000).map { _ in 800_000_000 - Double(random.below(rows * 26)) }
  }

  /// The number of rows to edit.
  public static func edits(_ rows: Int) -> Int { min(10_000, rows) }
}
