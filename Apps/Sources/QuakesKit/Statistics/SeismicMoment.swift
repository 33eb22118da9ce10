import Foundation

/// The seismic moment, a measure of an earthquake's size that can be added up.
public enum SeismicMoment {
  /// Returns the moment in newton metres of an earthquake: log10(moment) = 1.5 M + 9.05 (Hanks and Kanamori 1979,
  /// Journal of Geophysical Research 84:2348, there 16.05 for dyne centimetres). Exact for moment magnitudes; others
  /// are taken as such.
  public static func moment(ofMagnitude magnitude: Double) -> Double {
    pow(10, 1.5 * magnitude + 9.05)
  }

  /// Returns the magnitude of an earthquake with a moment in newton metres; nil for none.
  public static func magnitude(ofMoment moment: Double) -> Double? {
    moment > 0 ? (log10(moment) - 9.05) / 1.5 : nil
  }
}
