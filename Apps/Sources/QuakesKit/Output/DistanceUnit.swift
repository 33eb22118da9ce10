import Foundation

/// The unit of the distances and depths that people read. Exports, the API and options have kilometres.
public enum DistanceUnit: Hashable, Sendable {
  case kilometres, miles

  private static let kilometresPerMile = 1.609344

  /// The symbol: `km` or `mi`.
  public var symbol: String { self == .kilometres ? "km" : "mi" }

  /// Returns the value of kilometres in this unit.
  public func value(_ kilometres: Double) -> Double {
    self == .kilometres ? kilometres : kilometres / Self.kilometresPerMile
  }

  /// Returns a distance, such as `0.4 km` or `11 mi`: from ten on without decimals.
  public func distance(_ kilometres: Double) -> String {
    let value = value(kilometres)
    return "\(Self.decimal(value, value < 10 ? 1 : 0)) \(symbol)"
  }

  /// Returns a depth as the feed gives it: `12.3 km`, `1 km above sea level` or `0 km, sea level`.
  public func depth(_ kilometres: Double) -> String {
    guard kilometres != 0 else { return "0 \(symbol), sea level" }
    // Of kilometres the digits stay; those of miles are no more exact.
    let size = abs(kilometres)
    let text = self == .kilometres ? size.exportedText : Self.decimal(value(size), 2)
    return "\(text) \(symbol)" + (kilometres < 0 ? " above sea level" : "")
  }

  /// Returns a depth for a narrow column: `12 km`, with an arrow above sea level: `↑1 km`.
  public func shortDepth(_ kilometres: Double) -> String {
    let text = Self.decimal(value(abs(kilometres)), 0)
    return "\(kilometres < 0 && text != "0" ? "↑" : "")\(text) \(symbol)"
  }

  /// Returns a place as the feed names it, with a distance at its beginning (`12 km NNW of Town`) in this unit.
  public func place(_ text: String) -> String {
    guard self == .miles,
      let match = text.prefixMatch(of: /([0-9]{1,6}(?:\.[0-9]{1,6})?) ?km (?=[NESW]{1,3} of )/),
      let kilometres = Double(match.1)
    else { return text }
    let miles = value(kilometres)
    return "\(String(format: miles < 1 ? "%.1f" : "%.0f", miles)) mi "
      + text[match.range.upperBound...]
  }

  /// The number with at most so many decimals, without zeros at its end.
  private static func decimal(_ value: Double, _ places: Int) -> String {
    // A store of an earlier version may contain any number.
    guard abs(value) < 1e6 else { return String(format: "%.0e", value) }
    var text = String(format: "%.\(places)f", value)
    guard text.contains(".") else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }
}
