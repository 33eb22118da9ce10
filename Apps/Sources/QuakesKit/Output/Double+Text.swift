import Foundation

extension Double {
  /// The number as exports write it: in the shortest form that reads back the same, whole numbers without decimals.
  package var exportedText: String { Int(exactly: self).map(String.init) ?? description }

  /// The number with one decimal, halves away from zero, as magnitudes in the titles of the USGS's feeds: 6.35 is 6.4,
  /// where `%.1f` makes 6.3 of it, whose nearest binary number is less than 6.35.
  public var tenthText: String {
    // A store of an earlier version may contain any number as a magnitude.
    guard abs(self) < 1e6 else { return String(format: "%.0e", self) }
    let tenths = (self * 10).rounded(.toNearestOrAwayFromZero)
    // Without the sign of a zero.
    return String(format: "%.1f", tenths == 0 ? 0 : tenths / 10)
  }
}
