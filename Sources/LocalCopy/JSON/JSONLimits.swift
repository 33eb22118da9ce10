/// What a JSON document may cost: the feed is input from outside, so every buffer has a limit.
public struct JSONLimits: Sendable, Hashable {
  /// The number of arrays and objects that may be open at once. A deeper document is refused.
  public var maximumDepth: Int
  /// The size of one element in bytes. A larger element is skipped and reported, not kept.
  public var maximumElementBytes: Int
  /// The size in bytes of all values beside the elements, such as `metadata`, taken together.
  /// What does not fit is validated and left out.
  public var maximumSiblingBytes: Int

  /// Makes limits; the defaults suit feeds of small records.
  /// - Parameters:
  ///   - maximumDepth: open arrays and objects, 64 by default.
  ///   - maximumElementBytes: bytes of one element, 1 MiB by default, at most 1 GiB.
  ///   - maximumSiblingBytes: bytes of all values beside the elements, 64 KiB by default.
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
