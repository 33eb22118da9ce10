/// The modified Mercalli scale of intensities.
/// Source of the words: https://www.usgs.gov/programs/earthquake-hazards/modified-mercalli-intensity-scale
public enum Intensity {
  private static let words = [
    "not felt", "weak", "weak", "light", "moderate", "strong", "very strong", "severe", "violent",
    "extreme", "extreme", "extreme",
  ]
  private static let numerals = [
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
  ]

  /// Returns the degree nearest to an intensity, such as `VI (strong)`; below a half, `I (not felt)`.
  public static func text(_ intensity: Double) -> String {
    let index = index(intensity)
    return "\(numerals[index]) (\(words[index]))"
  }

  /// Returns the roman numeral of the degree nearest to an intensity.
  public static func numeral(_ intensity: Double) -> String { numerals[index(intensity)] }

  private static func index(_ intensity: Double) -> Int {
    Int(min(12, max(1, intensity.rounded()))) - 1
  }
}
