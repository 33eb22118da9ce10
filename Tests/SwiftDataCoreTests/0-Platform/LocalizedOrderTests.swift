import Foundation
import TestSupport
import Testing

@testable import SwiftDataCore

@Suite("Texts in the order of lists that people read")
struct LocalizedOrderTests {
  private let texts = [
    "", " ", "a", "A", "b", "B", "aa", "Aa", "é", "e\u{301}", "e", "E", "É", "f", "item 9",
    "item 10", "item 09", "Item 9", "10", "9", "009", "_a", "-a", "a-b", "ab", "a b", "ß", "ss",
    "z", "Å", "\u{212B}", "ñ", "n", "o", "한", "日本", "\u{1F600}", "99999999999999999999999", "1",
  ]

  private func isAscending(_ texts: String...) -> Bool {
    zip(texts, texts.dropFirst()).allSatisfy {
      localizedStandardCompare($0, $1) == .orderedAscending
    }
  }

  @Test func numbersCountAsNumbers() {
    #expect(isAscending("item 2", "item 9", "item 10", "item 100"))
    #expect(isAscending("9", "10", "99999999999999999999999"))
    #expect(PortableString.localizedCompare("item 10", "item 9") == .orderedAscending)
  }

  @Test func lettersCountBeforeMarksAndMarksBeforeCase() {
    #expect(isAscending("a", "A", "b", "B"))
    #expect(isAscending("resume", "résumé", "resumes"))
    #expect(isAscending("e", "é", "f"))
    #expect(isAscending("_x", "1", "a"))
  }

  @Test func isATotalOrderOfAllTexts() {
    for a in texts {
      for b in texts {
        let result = localizedStandardCompare(a, b)
        let opposite = localizedStandardCompare(b, a)
        #expect(result.rawValue == -opposite.rawValue, "\(a) \(b)")
        #expect((result == .orderedSame) == a.utf8.elementsEqual(b.utf8), "\(a) \(b)")
        for c in texts where result == .orderedAscending {
          guard localizedStandardCompare(b, c) == .orderedAscending else { continue }
          #expect(localizedStandardCompare(a, c) == .orderedAscending, "\(a) \(b) \(c)")
        }
      }
    }
  }

  /// Returns the contradictions and cycles of an order among some texts.
  private func circles(
    _ texts: [String], _ compare: (String, String) -> ComparisonResult
  ) -> [String] {
    // One comparison per pair; the triples are checked with these results.
    let results = texts.map { a in texts.map { b in compare(a, b).rawValue } }
    var found: [String] = []
    for (i, row) in results.enumerated() {
      for (j, first) in row.enumerated() {
        if first != -results[j][i] { found.append("\(texts[i]) \(texts[j])") }
        guard first <= 0 else { continue }
        for (k, second) in results[j].enumerated() where second <= 0 {
          // Equal only if both are equal; otherwise less.
          let expected = first + second < 0 ? -1 : 0
          if row[k] != expected { found.append("\(texts[i]) \(texts[j]) \(texts[k])") }
        }
      }
    }
    return found
  }

  private static let pieces = [
    "a", "A", "ａ", "Ａ", "á", "a\u{301}", "Å", "\u{212B}", "b", "1", "01", "１", "０1", "10", "٣", " ",
    "-",
    "ß", "ss", "ẞ", "ﬁ", "fi", "ſ", "K", "\u{212A}", "k", "İ", "i", "I", "ı", "\0", "\u{301}", "ガ",
    "ｶﾞ", "ﾞ", "한",
  ]

  @Test("no three texts of up to two pieces go round in a circle, nor do those of three")
  func hasNoCircles() {
    var texts = [""] + Self.pieces
    for a in Self.pieces { texts += Self.pieces.map { a + $0 } }
    var random = SeededGenerator(seed: 10)
    func piece() -> String { Self.pieces.randomElement(using: &random) ?? "" }
    // All pairs of some texts, and all triples of these: millions.
    let short = texts.shuffled(using: &random).prefix(120)
    let long = (0..<80).map { _ in piece() + piece() + piece() }
    let digits = ["Aa1", "AA01", "aa１", "aA1", "aa01", "ＡＡ1", "áa1", "Áa01"]
    for chosen in [Array(short), long, digits, digits + Array(short.prefix(100))] {
      let unique = Array(Dictionary(chosen.map { (Array($0.utf8), $0) }) { $1 }.values)
      #expect(circles(unique) { localizedStandardCompare($0, $1) } == [])
      #expect(circles(unique, PortableString.localizedCompare) == [])
      #expect(circles(unique, PortableString.scalarCompare) == [])
      #expect(circles(unique, PortableString.caseInsensitiveCompare) == [])
      #expect(circles(unique, DecimalOrder.compare) == [])
    }
  }

  @Test("texts of ASCII have the same order on their shorter way")
  func shorterWay() {
    let pieces = ["a", "A", "b", "0", "1", "_", "\0"]
    var texts = [""]
    for _ in 1...3 { texts += texts.flatMap { text in pieces.map { text + $0 } } }
    let unique = Set(texts).sorted()
    for (index, a) in unique.enumerated() where index.isMultiple(of: 3) {
      for b in unique {
        for numeric in [true, false] {
          let short = LocalizedOrder.compare(a, b, numeric: numeric)
          if short != LocalizedOrder.compareUnicode(a, b, numeric: numeric) {
            Issue.record("\(a.debugDescription) and \(b.debugDescription)")
          }
        }
      }
    }
  }

  @Test func lexicalOrderIsTotalToo() {
    for a in texts + ["éa"] {
      for b in texts + ["éa"] {
        let result = PortableString.scalarCompare(a, b)
        #expect(result.rawValue == -PortableString.scalarCompare(b, a).rawValue)
        #expect((result == .orderedSame) == (a == b))
      }
    }
  }

  @Test func collationsOfBytesAgreeWithThoseOfTexts() {
    for collation in StringFunctions.collations where collation.name != "OSD_DECIMAL" {
      for a in texts {
        for b in texts {
          let result = Array(a.utf8).withUnsafeBufferPointer { left in
            Array(b.utf8).withUnsafeBufferPointer { right in collation.compare(left, right) }
          }
          #expect(result == collation.compare(a, b), "\(collation.name) \(a) \(b)")
        }
      }
    }
  }

  @Test func decimalsCompareByValue() {
    #expect(DecimalOrder.compare("10", "9") == .orderedDescending)
    #expect(DecimalOrder.compare("1.0", "1") == .orderedSame)
    #expect(DecimalOrder.compare("NaN", "-1") == .orderedAscending)
  }
}
