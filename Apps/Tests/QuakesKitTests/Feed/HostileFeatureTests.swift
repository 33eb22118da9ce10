import Foundation
import LocalCopy
import Testing

@testable import QuakesKit

/// Values that a feed may send and that can't be shown.
@Suite struct HostileFeatureTests {
  private func feature(
    id: String = "\"nc1\"", magnitude: String = "1.5", depth: String = "3"
  ) throws -> Event {
    let text = """
      {"id":\(id),"properties":{"mag":\(magnitude),"time":0},
      "geometry":{"coordinates":[1,2,\(depth)]}}
      """
    return try JSONDecoder().decode(FeedEvent.self, from: Data(text.utf8)).event
  }

  @Test(arguments: [
    "\"\"", "\"a\\u0000b\"", "\"a\\nb\"", "\"\\u007f\"", "\"\\u009b\"",
    "\"" + String(repeating: "a", count: 201) + "\"",
    "\"" + String(repeating: "\u{e9}", count: 101) + "\"",
  ])
  func identifiersThatHaveNoAddressAreRefused(_ id: String) throws {
    #expect(throws: DecodingError.self) { try feature(id: id) }
  }

  @Test(arguments: ["\"a\"", "\"a+b c/\\u00e9\"", "\"" + String(repeating: "a", count: 200) + "\""])
  func othersAreTaken(_ id: String) throws { _ = try feature(id: id) }

  @Test(arguments: ["1e308", "-1e308", "20.1", "-20.1", "9223372036854775807", "1e22"])
  func magnitudesAndDepthsThatNothingHasAreRefused(_ number: String) throws {
    #expect(throws: DecodingError.self) { try feature(magnitude: number) }
    if abs(Double(number) ?? 0) > 100 {
      #expect(throws: DecodingError.self) { try feature(depth: number) }
    }
  }

  @Test(arguments: ["-2.5", "0", "9.5", "20", "-20", "null"])
  func othersAreMagnitudes(_ number: String) throws {
    #expect(try feature(magnitude: number).magnitude == Double(number))
  }

  @Test(
    arguments: [
      ("magType", 200), ("place", 2_000), ("type", 200), ("status", 200), ("alert", 200),
      ("url", 2_000), ("code", 200), ("net", 200), ("ids", 2_000), ("sources", 2_000),
      ("types", 2_000), ("title", 2_000), ("detail", 2_000),
    ])
  func textsLongerThanThoseOfRealFeedsAreRefused(_ name: String, _ longest: Int) throws {
    func feature(_ length: Int) throws -> Event {
      let text = String(repeating: "x", count: length)
      let document = """
        {"id":"nc1","properties":{"time":0,"\(name)":"\(text)"},"geometry":{"coordinates":[1,2]}}
        """
      return try JSONDecoder().decode(FeedEvent.self, from: Data(document.utf8)).event
    }
    _ = try feature(longest)
    let error = #expect(throws: DecodingError.self) { try feature(longest + 1) }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["properties", name])
  }

  @Test func moreIdentifiersThanRealEventsHaveAreRefused() throws {
    func feature(_ count: Int) throws -> Event {
      let ids = (1...count).map { "nc\($0)" }.joined(separator: ",")
      let document = """
        {"id":"nc1","properties":{"time":0,"ids":",\(ids),"},"geometry":{"coordinates":[1,2]}}
        """
      return try JSONDecoder().decode(FeedEvent.self, from: Data(document.utf8)).event
    }
    #expect(try feature(50).otherIdentifiers.count == 49)
    #expect(throws: DecodingError.self) { try feature(51) }
  }

  @Test func otherFeaturesAreImported() throws {
    #expect(throws: DecodingError.self) { try feature(depth: "6401") }
    #expect(try feature(depth: "-3.9").depth == -3.9)
    #expect(try feature(depth: "null").depth == nil)
  }
}
