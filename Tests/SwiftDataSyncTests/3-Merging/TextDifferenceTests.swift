import TestSupport
import Testing

@testable import SwiftDataSync

@Suite struct TextDifferenceTests {
  /// Checks that the hunks lead from one sequence to the other, and returns the number of edits.
  private func edits(_ base: [Int], _ side: [Int]) -> Int {
    let hunks = TextDifference(from: base, to: side).hunks
    var (result, place, count) = ([Int](), 0, 0)
    for hunk in hunks {
      #expect(hunk.base.lowerBound > place || hunk == hunks.first, "hunks touch")
      result += base[place..<hunk.base.lowerBound]
      #expect(result.count == hunk.side.lowerBound)
      result += side[hunk.side]
      place = hunk.base.upperBound
      count += hunk.base.count + hunk.side.count
    }
    #expect(result + base[place...] == side)
    return count
  }

  /// The least number of insertions and removals, from the longest common subsequence.
  private func least(_ base: [Int], _ side: [Int]) -> Int {
    var common = [Int](repeating: 0, count: side.count + 1)
    for left in base {
      var diagonal = 0
      for (index, right) in side.enumerated() {
        let above = common[index + 1]
        common[index + 1] = left == right ? diagonal + 1 : max(above, common[index])
        diagonal = above
      }
    }
    return base.count + side.count - 2 * common[side.count]
  }

  private func sequences(upTo length: Int) -> [[Int]] {
    guard length > 0 else { return [[]] }
    let shorter = sequences(upTo: length - 1)
    return shorter + shorter.filter { $0.count == length - 1 }.flatMap { [$0 + [0], $0 + [1]] }
  }

  @Test func allShortSequences() {
    let all = sequences(upTo: 5)
    #expect(all.count == 63)
    for base in all {
      for side in all { #expect(edits(base, side) == least(base, side)) }
    }
  }

  @Test func longerRandomSequences() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<300 {
      let letters = 1 + random.below(6)
      let base = (0..<random.below(60)).map { _ in random.below(letters) }
      let side = (0..<random.below(60)).map { _ in random.below(letters) }
      #expect(edits(base, side) == least(base, side))
    }
  }

  @Test func beyondTheLimitAllIsOneHunk() {
    let base = Array(0..<2_000)
    let side = [0] + Array((1..<1_999).reversed()) + [1_999]
    let hunks = TextDifference(from: base, to: side).hunks
    #expect(hunks == [.init(base: 1..<1_999, side: 1..<1_999)])
  }

  @Test func theNumberOfEditsIsLimited() {
    let most = TextDifference.maximumEdits
    for (count, hunks) in [(most, most), (most + 1, 1)] {
      let base = Array(0..<count)
      #expect(TextDifference(from: base, to: base.flatMap { [-1 - $0, $0] }).hunks.count == hunks)
    }
  }

  @Test func theNumberOfComparisonsIsLimited() {
    // The second round runs through all of the equal tokens.
    for (count, hunks) in [
      (TextDifference.maximumComparisons / 2, 2), (TextDifference.maximumComparisons, 1),
    ] {
      let base = Array(repeating: 0, count: count)
      #expect(TextDifference(from: base, to: [1] + base + [1]).hunks.count == hunks)
    }
  }
}
