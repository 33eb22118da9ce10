import SwiftDataSync
import TestSupport
import Testing

@Suite struct TextMergeTests {
  private func merge(_ base: String, _ mine: String, _ theirs: String) -> TextMerge {
    let merge = TextMerge(base: base, mine: mine, theirs: theirs)
    #expect(
      merge == TextMerge(base: base, mine: theirs, theirs: mine),
      "\([base, mine, theirs]) isn't the same from both sides")
    return merge
  }

  @Test(arguments: [
    // Different lines, neighbours too; a line that one side deleted.
    ("a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"),
    ("a\nb", "A\nb", "a\nB", "A\nB"),
    ("a\nb\nc\nd", "a\nc\nd", "a\nb\nc\nd\ne", "a\nc\nd\ne"),
    ("a\nb\nc", "x\na\nb\nc", "a\nb\nc\ny", "x\na\nb\nc\ny"),
    ("a\nb\nc", "", "a\nb\nc", ""),
    // Both have added lines at the same place: in the order of their bytes, equal ones once.
    ("", "x", "y", "x\ny"),
    ("a", "a\nc", "a\nb", "a\nb\nc"),
    ("a", "a\nb\nc", "a\nb\nd", "a\nb\nc\nd"),
    ("a\nz", "a\nx\nlast\nz", "a\ny\nlast\nz", "a\nx\ny\nlast\nz"),
    ("a", "a\nb", "a\nb", "a\nb"),
    // Different words of one line.
    (
      "Meet at gate 3 at noon", "Meet at gate 4 at noon", "Meet at gate 3 at one",
      "Meet at gate 4 at one"
    ),
    ("blue car, old", "red car, old", "blue car, new", "red car, new"),
    (
      "Zug nach Köln um acht", "Bus nach Köln um acht", "Zug nach Köln um neun",
      "Bus nach Köln um neun"
    ),
    // Line ends of other systems and the last line's end are a part of the line.
    ("a\r\nb", "z\r\nb", "a\r\nb\r\nc", "z\r\nb\r\nc"),
  ])
  func bothEditsAreMade(_ base: String, _ mine: String, _ theirs: String, _ result: String) {
    let merge = merge(base, mine, theirs)
    #expect(merge.text == result)
    #expect(!merge.hasOverlaps)
  }

  @Test(arguments: [
    // The same words, or words that touch.
    ("at noon", "at one", "at two", "at one\nat two"),
    ("Meet at noon", "Meet at one", "Meet at noon sharp", "Meet at noon sharp\nMeet at one"),
    (
      "Buy milk", "Buy milk and eggs", "Buy milk and bread", "Buy milk and bread\nBuy milk and eggs"
    ),
    // A line that one side has written anew.
    ("one two three", "1 2 3", "one two four", "1 2 3\none two four"),
    (
      "one two three four", "1 2 3 four", "one two three five", "1 2 3 four\none two three five"
    ),
    // An edit of what the other side deletes.
    ("a\nb\nc", "a\nc", "a\nB\nc", "a\nB\nc"),
    ("a\nb", "", "a\nB", "a\nB"),
    ("a\nb\nc\nd", "a\nd", "a\nb\nnew\nc\nd", "a\nb\nnew\nc\nd"),
  ])
  func ofEditsThatOverlapNothingIsLost(
    _ base: String, _ mine: String, _ theirs: String, _ result: String
  ) {
    let merge = merge(base, mine, theirs)
    #expect(merge.text == result)
    #expect(merge.hasOverlaps)
  }

  @Test func textsAreComparedByTheirBytes() {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    #expect(merge(composed, composed, decomposed).text.utf8.elementsEqual(decomposed.utf8))
    #expect(
      merge(composed, decomposed, "x\n" + composed).text.utf8.elementsEqual("x\ncafe\u{301}".utf8))
  }

  /// A random text of some of a few lines, so that sides often have the same ones.
  private func text(_ random: inout SeededGenerator) -> String {
    let lines = ["", "a", "b", "a b", "b a", "a b c", "c, b", "ö\u{301} b"]
    return (0..<random.below(6)).map { _ in random.one(of: lines) }.joined(separator: "\n")
  }

  @Test func equalAndUneditedSidesChangeNothing() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let (base, edited) = (text(&random), text(&random))
      #expect(merge(base, base, edited).text == edited)
      #expect(merge(base, edited, edited).text == edited)
      #expect(merge(base, base, base).text == base)
    }
  }

  @Test func theResultIsTheSameFromBothSides() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<5_000 { _ = merge(text(&random), text(&random), text(&random)) }
  }

  @Test func editsOfDifferentLinesAreAllMade() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let count = 1 + random.below(20)
      var (base, mine, theirs, result) = ([String](), [String](), [String](), [String]())
      for line in 0..<count {
        let text = "line \(line)"
        base.append(text)
        var edited: [String]
        switch random.below(4) {
        case 0: edited = []
        case 1: edited = ["edited \(line)"]
        case 2: edited = [text, "new \(line)"]
        default: edited = [text]
        }
        // One side edits the line.
        if random.chance(0.5) {
          mine += edited
          theirs.append(text)
        } else {
          mine.append(text)
          theirs += edited
        }
        result += edited
      }
      let merge = merge(
        base.joined(separator: "\n"), mine.joined(separator: "\n"), theirs.joined(separator: "\n"))
      #expect(merge.text == result.joined(separator: "\n"))
    }
  }

  /// Every word that a side has written is in the result.
  @Test func noWrittenWordIsLost() {
    var random = SeededGenerator(seed: 4)
    var next = 0
    /// Replaces, deletes and inserts words and lines; what it writes is written nowhere else.
    func edited(_ text: [[String]]) -> (text: [[String]], written: [String]) {
      var (result, written) = ([[String]](), [String]())
      func word() -> String {
        next += 1
        written.append("w\(next)")
        return "w\(next)"
      }
      for line in text {
        if random.chance(0.15) { continue }
        if random.chance(0.15) { result.append([word(), word()]) }
        var words: [String] = []
        for old in line {
          if random.chance(0.1) { words.append(word()) }
          if !random.chance(0.1) { words.append(random.chance(0.1) ? word() : old) }
        }
        result.append(words)
      }
      if random.chance(0.3) { result.append([word()]) }
      return (result, written)
    }
    func joined(_ text: [[String]]) -> String {
      text.map { $0.joined(separator: " ") }.joined(separator: "\n")
    }
    for _ in 0..<1_000 {
      let base = (0..<random.below(8)).map { line in
        (0..<(1 + random.below(6))).map { "b\(line)-\($0)" }
      }
      let (mine, theirs) = (edited(base), edited(base))
      let merge = merge(joined(base), joined(mine.text), joined(theirs.text))
      let words = Set(merge.text.split { $0 == " " || $0 == "\n" }.map(String.init))
      let lost = (mine.written + theirs.written).filter { !words.contains($0) }
      #expect(lost.isEmpty, "\(lost) in \([joined(base), joined(mine.text), joined(theirs.text)])")
    }
  }

  @Test func textsBeyondTheLimitAreMergedWithoutLoss() {
    let lines = (0..<3_000).map { "line \($0)" }
    let mine = ["first"] + lines.reversed() + ["last"]
    let theirs = ["first"] + lines.map { $0 + "!" } + ["last"]
    let base = ["first"] + lines + ["last"]
    let merge = merge(
      base.joined(separator: "\n"), mine.joined(separator: "\n"), theirs.joined(separator: "\n"))
    let result = merge.text.split(separator: "\n")
    #expect(result.count == 6_002 && result.first == "first" && result.last == "last")
    #expect(merge.hasOverlaps)
  }

  @Test func aPolicyMergesATextAndDecidesTheRest() {
    let policy = SyncPolicy.custom { conflict in
      conflict.mergedText(of: "note").map { .values(["note": .text($0.text)]) } ?? .client
    }
    func result(_ base: SyncValues?, _ local: SyncValues?, _ remote: SyncValues?) -> SyncValues? {
      ThreeWayMerge.merge(
        SyncObjectID("Park", "1"), base: base, local: local, remote: remote, policy: policy
      ).values
    }
    #expect(
      result(["note": .text("a")], ["note": .text("a\nb")], ["note": .text("x\na")])
        == ["note": .text("x\na\nb")])
    #expect(result(nil, ["note": .text("b")], ["note": .text("a")]) == ["note": .text("a\nb")])
    #expect(result(["note": .text("a")], ["note": .text("b")], nil) == ["note": .text("b")])
    #expect(
      result(["note": .text("a")], ["note": .null], ["note": .text("b")]) == ["note": .null])
  }
}
