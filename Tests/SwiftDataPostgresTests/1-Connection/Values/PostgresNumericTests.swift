import Foundation
import Testing

@testable import SwiftDataPostgres

@Suite("The binary form of decimal numbers")
struct PostgresNumericTests {
  private func encoded(_ text: String) -> [UInt8]? {
    var output: [UInt8] = []
    let isNumber = Array(text.utf8).withUnsafeBytes { PostgresNumeric.append($0, to: &output) }
    return isNumber ? output : nil
  }

  private func decoded(_ bytes: [UInt8]) -> String? {
    var text: [UInt8] = []
    let isNumber = bytes.withUnsafeBytes { PostgresNumeric.appendText(of: $0, to: &text) }
    return isNumber ? String(decoding: text, as: UTF8.self) : nil
  }

  @Test(
    "keeps all digits",
    arguments: [
      "0", "0.0", "1", "-1", "10", "9999", "10000", "10001", "100000000", "0.1", "0.0001",
      "0.00001", "0.000000001", "-12345.67890", "1.50", "123456789012345678901234567890.12345",
      "NaN",
    ])
  func roundTrips(text: String) throws {
    let bytes = try #require(encoded(text))
    #expect(decoded(bytes) == text)
  }

  @Test(
    "takes exponents and leading zeros",
    arguments: [
      ("1e3", "1000"), ("1.5e1", "15"), ("15e-1", "1.5"), ("1e-5", "0.00001"), ("007", "7"),
      ("-0", "0"), ("+2.0", "2.0"), (".5", "0.5"), ("5.", "5"),
    ])
  func forms(text: String, number: String) throws {
    let bytes = try #require(encoded(text))
    #expect(decoded(bytes) == number)
  }

  @Test("refuses other texts", arguments: ["", "-", "1.2.3", "1e", "abc", "1 ", "Infinity", "e5"])
  func others(text: String) { #expect(encoded(text) == nil) }

  @Test("has the bytes of PostgreSQL's sources")
  func bytes() {
    // Two digits to the base 10,000, the first of weight 0, positive, four decimal places.
    #expect(encoded("12.3400") == [0, 2, 0, 0, 0, 0, 0, 4, 0, 12, 0x0D, 0x48])
    #expect(encoded("-1") == [0, 1, 0, 0, 0x40, 0, 0, 0, 0, 1])
  }

  @Test("of Foundation's decimals")
  func decimals() throws {
    for decimal in [
      Decimal.greatestFiniteMagnitude, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
      Decimal(1) / 3, Decimal(string: "-1234567.00891") ?? 0,
    ] {
      let bytes = try #require(encoded(decimal.description))
      let text = try #require(decoded(bytes))
      #expect(Decimal(string: text) == decimal)
    }
  }

  @Test("of unsigned integers", arguments: [0, 1, 9_999, 10_000, 1 << 40, UInt64.max])
  func unsigned(number: UInt64) throws {
    let bytes = try #require(encoded(String(number)))
    #expect(bytes.withUnsafeBytes { PostgresNumeric.unsigned(of: $0) } == number)
  }

  @Test("that isn't an unsigned integer", arguments: ["-1", "0.5", "18446744073709551616", "NaN"])
  func notUnsigned(text: String) throws {
    let bytes = try #require(encoded(text))
    #expect(bytes.withUnsafeBytes { PostgresNumeric.unsigned(of: $0) } == nil)
  }

  @Test("is refused when it is cut off")
  func damaged() throws {
    let bytes = try #require(encoded("12345678"))
    for count in 0..<bytes.count { #expect(decoded(Array(bytes[..<count])) == nil) }
  }
}
