/// The set of a model's changed properties by position: one word for the first 64, a set for all others.
/// Public for the macros.
@_documentation(visibility: internal)
public struct ChangeMask: Hashable, Sendable {
  @usableFromInline var word: UInt64 = 0
  @usableFromInline var rest: Set<Int>?

  /// Creates an empty set.
  @inlinable
  public init() {}

  /// Whether a property is in the set.
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

  mutating func remove(_ index: Int) {
    if index < 64 {
      word &= ~(1 << UInt64(index))
    } else {
      let others = rest?.subtracting([index]) ?? []
      rest = others.isEmpty ? nil : others
    }
  }

  /// Whether the mask has positions beyond the first word.
  var hasRest: Bool { rest != nil }

  /// Returns the same as `==`, but usually compares only the words.
  @inlinable
  @inline(__always)
  package func isSame(as other: ChangeMask) -> Bool {
    rest == nil && other.rest == nil ? word == other.word : self == other
  }

  package var isEmpty: Bool { word == 0 && rest == nil }

  package var count: Int { word.nonzeroBitCount + (rest?.count ?? 0) }

  /// The positions in ascending order.
  package var indices: Indices { Indices(word: word, rest: rest.map { $0.sorted()[...] }) }

  /// The positions of a mask. Iterating over the first 64 allocates no memory.
  package struct Indices: Sequence, IteratorProtocol {
    fileprivate var word: UInt64
    fileprivate var rest: ArraySlice<Int>?

    package mutating func next() -> Int? {
      if word != 0 {
        defer { word &= word - 1 }
        return word.trailingZeroBitCount
      }
      return rest?.popFirst()
    }
  }
}
