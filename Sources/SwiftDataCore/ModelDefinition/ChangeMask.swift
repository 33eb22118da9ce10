/// The set of a model's changed properties by position: one word for the first 64, a list for the rest.
public struct ChangeMask: Hashable, Sendable {
  @usableFromInline var word: UInt64 = 0
  @usableFromInline var rest: Set<Int>?

  @inlinable
  public init() {}

  @inlinable
  public func contains(_ index: Int) -> Bool {
    if index < 64 { return word & (1 << UInt64(index)) != 0 }
    return rest?.contains(index) ?? false
  }

  package mutating func insert(_ index: Int) {
    if index < 64 {
      word |= 1 << UInt64(index)
    } else {
      rest = (rest ?? []).union([index])
    }
  }

  package var isEmpty: Bool { word == 0 && rest == nil }

  /// The positions in ascending order.
  package var indices: [Int] {
    var result: [Int] = []
    var remaining = word
    while remaining != 0 {
      result.append(remaining.trailingZeroBitCount)
      remaining &= remaining - 1
    }
    return result + (rest?.sorted() ?? [])
  }
}
