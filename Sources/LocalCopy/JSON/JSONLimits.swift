/// Limits for a JSON document: the feed is external input, so every buffer has a limit.
public struct JSONLimits: Sendable, Hashable {
  /// The number of arrays and objects that may be open at the same time. A deeper document is
  /// rejected.
  public var maximumDepth: Int
  /// The size of one element in bytes. A larger element is skipped and reported, but not kept.
  public var maximumElementBytes: Int
  /// The total size in bytes of all values outside the array of elements, such as `metadata`, and
  /// of the keys that lead to them. Values that exceed it are validated and left out.
  public var maximumSiblingBytes: Int

  /// Creates limits; the defaults suit feeds of small records.
  /// - Parameters:
  ///   - maximumDepth: open arrays and objects, 64 by default.
  ///   - maximumElementBytes: bytes of one element, 1 MiB by default, at most 1 GiB.
  ///   - maximumSiblingBytes: bytes of all values outside the array of elements, with their keys;
  ///     64 KiB by default.
  public init(
    maximumDepth: Int = 64,
    maximumElementBytes: Int = 1 << 20,
    maximumSiblingBytes: Int = 1 << 16
  ) {
    self.maximumDepth = max(1, maximumDepth)
    self.maximumElementBytes = min(max(1, maximumElementBytes), 1 << 30)
    self.maximumSiblingBytes = min(max(0, maximumSiblingBytes), 1 << 30)
  }
}
