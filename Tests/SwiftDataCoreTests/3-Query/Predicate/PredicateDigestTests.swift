import Foundation
import SwiftDataCore
import Testing

@Suite("Predicates are distinguished by their content")
struct PredicateDigestTests {
  struct Item: Codable {
    var name: String
    var place: String
    var count: Int?
  }

  private func search(_ part: String, _ least: Int) -> Predicate<Item> {
    #Predicate { $0.name.localizedStandardContains(part) && ($0.count ?? 0) > least }
  }

  @Test func sameWordsSameText() {
    #expect(PredicateDigest.text(of: search("a", 1)) == PredicateDigest.text(of: search("a", 1)))
  }

  @Test func otherValuesAndOtherPropertiesOtherTexts() {
    let text = PredicateDigest.text(of: search("a", 1))
    #expect(text != PredicateDigest.text(of: search("b", 1)))
    #expect(text != PredicateDigest.text(of: search("a", 2)))
    let name = #Predicate<Item> { $0.name == "x" }
    let place = #Predicate<Item> { $0.place == "x" }
    #expect(PredicateDigest.text(of: name) != PredicateDigest.text(of: place))
  }
}
