/// The merge of two edits of a sequence of tokens.
struct TokenMerge {
  typealias Token = ArraySlice<UInt8>

  enum Part {
    /// Tokens that at most one side has edited, or both in the same way.
    case merged([Token])
    /// Tokens that both sides have edited, on all sides.
    case overlap(base: [Token], mine: [Token], theirs: [Token])
  }

  /// The parts of the result, in order.
  private(set) var parts: [Part] = []
  /// The positions of the base's tokens that each side has kept.
  private(set) var kept: [[Int]] = []

  /// - Parameter touchingEditsOverlap: Whether an edit that begins where one of the other side ends overlaps with it.
  ///   Two insertions at the same place overlap in any case.
  init(base: [Token], mine: [Token], theirs: [Token], touchingEditsOverlap: Bool = false) {
    var numbers: [Token: Int] = [:]
    func numbered(_ tokens: [Token]) -> [Int] {
      tokens.map { token in
        let number = numbers[token] ?? numbers.count
        numbers[token] = number
        return number
      }
    }
    let common = numbered(base)
    let first = Side(mine, TextDifference(from: common, to: numbered(mine)).hunks)
    let second = Side(theirs, TextDifference(from: common, to: numbered(theirs)).hunks)
    kept = [first, second].map { side in
      var kept = Set(base.indices)
      for hunk in side.hunks { kept.subtract(hunk.base) }
      return kept.sorted()
    }
    merge(base, first, second, touchingEditsOverlap)
  }

  private struct Side {
    let tokens: [Token]
    let hunks: [TextDifference.Hunk]
    /// The number of hunks that the result has.
    var done = 0

    init(_ tokens: [Token], _ hunks: [TextDifference.Hunk]) {
      self.tokens = tokens
      self.hunks = hunks
    }

    var next: TextDifference.Hunk? { done < hunks.count ? hunks[done] : nil }

    /// Returns the side's tokens in place of a range of the base that contains the given hunks and cuts no other.
    func tokens(for range: Range<Int>, _ hunks: Range<Int>, of base: [Token]) -> [Token] {
      var result: [Token] = []
      var place = range.lowerBound
      for hunk in self.hunks[hunks] {
        result += base[place..<hunk.base.lowerBound]
        result += tokens[hunk.side]
        place = hunk.base.upperBound
      }
      return result + base[place..<range.upperBound]
    }
  }

  private mutating func merge(
    _ base: [Token], _ first: Side, _ second: Side, _ touchingEditsOverlap: Bool
  ) {
    var sides = [first, second]
    var place = 0
    while let (side, begin) = Self.next(sides) {
      if place < begin.lowerBound { parts.append(.merged(Array(base[place..<begin.lowerBound]))) }
      // The edits that overlap with this one, those that overlap with them, and so on.
      let done = sides.map(\.done)
      var range = begin
      var last: [Range<Int>?] = [nil, nil]
      last[side] = begin
      sides[side].done += 1
      while let (side, edit) = Self.next(sides), let other = last[1 - side],
        Self.overlap(edit, other, touchingEditsOverlap)
      {
        last[side] = edit
        sides[side].done += 1
        range = range.lowerBound..<max(range.upperBound, edit.upperBound)
      }
      let edited = zip(sides, done).map { $0.tokens(for: range, $1..<$0.done, of: base) }
      if last[0] == nil || edited[0] == edited[1] {
        parts.append(.merged(edited[1]))
      } else if last[1] == nil {
        parts.append(.merged(edited[0]))
      } else {
        parts.append(.overlap(base: Array(base[range]), mine: edited[0], theirs: edited[1]))
      }
      place = range.upperBound
    }
    if place < base.count { parts.append(.merged(Array(base[place...]))) }
  }

  /// Returns the edit that begins first in the base, with the index of its side.
  private static func next(_ sides: [Side]) -> (side: Int, edit: Range<Int>)? {
    sides.indices.compactMap { index in sides[index].next.map { (index, $0.base) } }
      .min { ($0.1.lowerBound, $0.1.upperBound) < ($1.1.lowerBound, $1.1.upperBound) }
  }

  /// Returns whether edits of both sides overlap, of which the second one begins no later.
  private static func overlap(
    _ edit: Range<Int>, _ earlier: Range<Int>, _ touchingEditsOverlap: Bool
  ) -> Bool {
    edit.lowerBound < earlier.upperBound || edit == earlier
      || touchingEditsOverlap && edit.lowerBound == earlier.upperBound
  }
}
