import Foundation
import SwiftDataCore
import Testing

@Suite("Predicates compile with the string functions that Foundation lacks here")
struct StringPredicateTests {
  struct Item: Codable {
    var name: String
  }

  @Test(arguments: [
    ("Müller", "mull", true), ("STRASSE", "strasse", true), ("abc", "", false), ("abc", "d", false),
    ("", "a", false), ("ＡＢＣ", "b", true),
  ])
  func searchIgnoresCaseMarksAndWidth(_ text: String, _ part: String, _ isFound: Bool) throws {
    let predicate = #Predicate<Item> { $0.name.localizedStandardContains(part) }
    #expect(try predicate.evaluate(Item(name: text)) == isFound)
  }

  @Test func comparisons() throws {
    let same = ComparisonResult.orderedSame
    let before = ComparisonResult.orderedAscending
    let withoutCase = #Predicate<Item> { $0.name.caseInsensitiveCompare("ÀB") == same }
    #expect(try withoutCase.evaluate(Item(name: "àb")))
    #expect(try !withoutCase.evaluate(Item(name: "ab")))
    let localized = #Predicate<Item> { $0.name.localizedCompare("b") == before }
    #expect(try localized.evaluate(Item(name: "A")))
    #expect(try !localized.evaluate(Item(name: "c")))
  }

  @Test func usualPlacesHaveNames() {
    #expect(URL.documentsDirectory.isFileURL)
    #expect(URL.applicationSupportDirectory.path.hasPrefix("/"))
    #expect(URL.cachesDirectory != URL.applicationSupportDirectory)
  }
}
