import Foundation
import SwiftDataCore
import TestSupport
import Testing

@Suite("Predicates are distinguished by their content")
struct PredicateDigestTests {
  struct Item: Codable {
    var name: String
    var place: String
    var count: Int?
    var made = Date(timeIntervalSinceReferenceDate: 0)
    var sold: Date?
    var bytes = Data()
    var lot: Lot?
  }

  struct Lot: Codable, Equatable {
    var parts: [Data?]
    var times: ClosedRange<Date>
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

  private func expectDifferent<Value>(
    _ first: Value, _ second: Value, _ predicate: (Value) -> Predicate<Item>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = PredicateDigest.text(of: predicate(first))
    #expect(text == PredicateDigest.text(of: predicate(first)), sourceLocation: sourceLocation)
    #expect(text != PredicateDigest.text(of: predicate(second)), sourceLocation: sourceLocation)
  }

  @Test func fractionsOfSecondsAndBytesOtherTexts() {
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let later = Date(timeIntervalSinceReferenceDate: 5.25)
    expectDifferent(date, later) { time in #Predicate { $0.made > time } }
    expectDifferent(Optional(date), later) { time in #Predicate { $0.sold == time } }
    expectDifferent([date], [later]) { times in #Predicate { times.contains($0.made) } }
    expectDifferent(date...later, date...date + 1) { times in
      #Predicate { times.contains($0.made) }
    }
    expectDifferent(Data([1, 2]), Data([1, 3])) { bytes in #Predicate { $0.bytes == bytes } }
    expectDifferent([Data([1]), Data([2])], [Data([2]), Data([1])]) { bytes in
      #Predicate { bytes.contains($0.bytes) }
    }
    expectDifferent(
      Lot(parts: [nil, Data([1])], times: date...later),
      Lot(parts: [nil, Data([2])], times: date...later)
    ) { lot in #Predicate { $0.lot == lot } }
    expectDifferent(
      Lot(parts: [], times: date...date + 0.5), Lot(parts: [], times: date...later)
    ) { lot in #Predicate { $0.lot == lot } }
  }

  @Test func evaluatedExpressionsByTheirContent() {
    func quotient(_ divisor: Int) -> Expression<Item, Int, Int> {
      #Expression { item, other in (item.count ?? 0) / divisor + other }
    }
    expectDifferent(1, 2) { divisor in
      Predicate<Item> { item in
        PredicateExpressions.build_Equal(
          lhs: PredicateExpressions.build_evaluate(
            ExpressionNode(quotient(divisor)), PredicateExpressions.build_Arg(item),
            PredicateExpressions.build_Arg(3)), rhs: PredicateExpressions.build_Arg(4))
      }
    }
  }
}
