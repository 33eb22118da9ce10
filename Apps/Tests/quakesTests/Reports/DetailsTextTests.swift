import Foundation
import Testing

@testable import QuakesKit
@testable import quakes

@Suite("Details as text")
struct DetailsTextTests {
  private static func lines(_ mechanism: EventDetails.Mechanism) -> [String] {
    var details = EventDetails()
    details.mechanism = mechanism
    let kept = KeptDetails(
      event: "a", address: "", loaded: .distantPast, eventUpdated: .distantPast, details: details)
    return DetailsText(.init(kept: kept, isCurrent: true, failure: nil)).facts { _ in "" }
      .map { "\($0): \($1)" }
  }

  @Test("a mechanism's angles and its share of a double couple are whole numbers")
  func mechanism() {
    let lines = Self.lines(
      .init(
        kind: .momentTensor, planes: [.init(strike: 29.6, dip: 0.4, rake: -0.4)],
        doubleCouple: 0.846))
    #expect(lines.contains("Mechanism: moment tensor, 85 % double couple"))
    #expect(lines.contains("Plane 1: strike 30°, dip 0°, rake 0°"))
  }

  @Test("numbers of any size, which a changed store may have, are written")
  func extremeNumbers() {
    let lines = Self.lines(
      .init(
        kind: .focalMechanism, planes: [.init(strike: 1e300, dip: -1e300, rake: 0)],
        doubleCouple: 1e300))
    #expect(lines.contains("Mechanism: first motions, 1e+302 % double couple"))
    #expect(lines.contains("Plane 1: strike 1e+300°, dip -1e+300°, rake 0°"))
  }
}
