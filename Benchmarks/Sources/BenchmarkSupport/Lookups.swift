/// The values to look up, the same for every implementation.
public enum Lookups {
  /// The keys of random rows, one for each look-up; some occur more than once.
  public static func codes(_ place: Place) -> [String] {
    let all = QuakeRows(place.rows).map(\.code)
    var random = SplitMix(seed: 2)
    return (0..<place.lookups).map { _ in all[random.below(place.rows)] }
  }

  /// A thousand times within the range of the rows.
  public static func times(_ rows: Int) -> [Double] {
    var random = SplitMix(seed: 3)
    return (0..<1_000).map { _ in 800_000_000 - Double(random.below(rows * 26)) }
  }

  /// The number of rows to edit.
  public static func edits(_ rows: Int) -> Int { min(10_000, rows) }
}
