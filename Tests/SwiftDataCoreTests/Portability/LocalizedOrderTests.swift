import Foundation
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

  @Test func isATotalOrderThatTellsAllTextsApart() {
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
