import Foundation

/// The numbers of earthquakes by magnitude, in bins of 0.1, and the Gutenberg–Richter law that fits them.
public struct MagnitudeDistribution: Hashable, Sendable {
  /// The width of a bin.
  public static let binWidth = 0.1
  /// The tenths of a magnitude that are counted. No earthquake is outside of them; a feed's value may be.
  static let tenths = -50...120
  /// The number of earthquakes from which a law is fitted.
  public static let leastFitted = 50

  /// The numbers of earthquakes by the middle of their bin, in tenths of a magnitude. Empty bins are left out.
  public private(set) var counts: [Int: Int] = [:]

  /// Creates a distribution without earthquakes.
  public init() {}

  /// The number of earthquakes.
  public var count: Int { counts.values.reduce(0, +) }

  /// Counts an earthquake: in the bin around its magnitude rounded to tenths, halves up.
  /// - Returns: Whether it was counted: a magnitude outside of -5 to 12 isn't.
  @discardableResult
  public mutating func add(_ magnitude: Double) -> Bool {
    let tenths = (magnitude * 10 + 0.5).rounded(.down)
    guard let bin = Int(exactly: tenths), Self.tenths.contains(bin) else { return false }
    counts[bin, default: 0] += 1
    return true
  }

  /// The bins with earthquakes, by magnitude.
  public var bins: [(tenths: Int, count: Int)] {
    counts.sorted { $0.key < $1.key }.map { (tenths: $0.key, count: $0.value) }
  }

  /// The magnitude of completeness, in tenths: the lowest magnitude from which the catalogue is taken to be complete.
  /// Nil without earthquakes.
  ///
  /// Determined by maximum curvature with a correction: the bin with most earthquakes (Wiemer and Wyss 2000, Bulletin
  /// of the Seismological Society of America 90:859), the highest of several, plus 0.2 (Woessner and Wiemer 2005,
  /// ibid. 95:684).
  public var completeness: Int? {
    let most = bins.max { ($0.count, $0.tenths) < ($1.count, $1.tenths) }
    return most.map { $0.tenths + 2 }
  }

  /// The Gutenberg–Richter law: of N earthquakes, log10 N = a − bM have a magnitude of at least M.
  public struct Law: Hashable, Sendable {
    /// The magnitude of completeness, in tenths.
    public var completeness: Int
    /// The number of earthquakes from there on, which determine the law.
    public var count: Int
    /// The constant a, for the whole period of the events.
    public var a: Double
    /// The slope b: how much rarer earthquakes are with each step in magnitude, as a power of ten.
    public var b: Double
    /// The standard error of b.
    public var error: Double
  }

  /// The law that fits the earthquakes; nil for fewer than 50 of them above the completeness, and when all of these
  /// are in one bin.
  ///
  /// b is the maximum likelihood estimate log10(e) / (mean − (completeness − 0.05)) (Aki 1965, Bulletin of the
  /// Earthquake Research Institute 43:237), where half a bin's width corrects for the bins (Utsu 1966, Journal of the
  /// Faculty of Science, Hokkaido University, Series VII 2:359). Its error is ln(10) b² √(Σ(M − mean)² / (n(n − 1)))
  /// (Shi and Bolt 1982, Bulletin of the Seismological Society of America 72:1677).
  public var law: Law? {
    guard let completeness else { return nil }
    let complete = bins.filter { $0.tenths >= completeness }
    let count = complete.reduce(0) { $0 + $1.count }
    guard count >= Self.leastFitted, complete.count > 1 else { return nil }
    let number = Double(count)
    let mean = Double(complete.reduce(0) { $0 + $1.tenths * $1.count }) / number / 10
    let squares = complete.reduce(0.0) { sum, bin in
      let difference = Double(bin.tenths) / 10 - mean
      return sum + difference * difference * Double(bin.count)
    }
    let least = Double(completeness) / 10
    let b = 1 / log(10) / (mean - (least - Self.binWidth / 2))
    return Law(
      completeness: completeness, count: count, a: log10(number) + b * least, b: b,
      error: log(10) * b * b * (squares / (number * (number - 1))).squareRoot())
  }
}
