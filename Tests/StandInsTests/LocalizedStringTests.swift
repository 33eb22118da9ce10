import Foundation
import FoundationStandIns
import TestSupport
import Testing

@Suite("Localized texts where Foundation has none")
struct LocalizedStringTests {
  /// Creates a bundle with one strings file, which exists as long as the folder.
  private func bundle(_ strings: [String: String]) throws -> (Bundle, TemporaryFolder) {
    let place = try TemporaryFolder()
    let folder = place.file("texts.bundle")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = strings.map { "\"\($0.key)\" = \"\($0.value)\";" }.joined(separator: "\n")
    try file.write(
      to: folder.appending(path: "Localizable.strings"), atomically: true, encoding: .utf8)
    return (try #require(Bundle(path: folder.path)), place)
  }

  private let english = Locale(identifier: "en_US")

  @Test("are the key with its values where no table has it")
  func missing() {
    let name = "Ada"
    #expect(String(localized: "Hello") == "Hello")
    #expect(
      String(localized: "Hello, \(name): \(3) of 100%", locale: english) == "Hello, Ada: 3 of 100%")
    #expect(String(localized: "GREETING", defaultValue: "Hello, \(name)") == "Hello, Ada")
    #expect(String(localized: "\(["a"])") == "[\"a\"]")
  }

  @Test("come from the bundle's table, values in the table's order")
  func found() throws {
    let (bundle, folder) = try bundle(["%@ has %lld": "%2$lld hat %1$@", "half %lf": "halb %.1f"])
    defer { withExtendedLifetime(folder) {} }
    let name = "Ada"
    #expect(String(localized: "\(name) has \(3)", bundle: bundle, locale: english) == "3 hat Ada")
    #expect(String(localized: "half \(0.5)", bundle: bundle, locale: english) == "halb 0.5")
  }

  @Test("are found by the specifiers of Apple's systems, for each type of number")
  func specifiers() throws {
    let specifiers = ["%lld", "%d", "%llu", "%u", "%lf", "%f", "%@"]
    let (bundle, folder) = try bundle(
      Dictionary(uniqueKeysWithValues: specifiers.map { ("in \($0)", "\($0.dropFirst())") }))
    defer { withExtendedLifetime(folder) {} }
    func text(_ value: String.LocalizationValue) -> String {
      String(localized: value, bundle: bundle, locale: english)
    }
    #expect(text("in \(1)") == "lld" && text("in \(Int64(1))") == "lld")
    #expect(
      text("in \(Int8(1))") == "d" && text("in \(Int16(1))") == "d" && text("in \(Int32(1))") == "d"
    )
    #expect(text("in \(UInt(1))") == "llu" && text("in \(UInt64(1))") == "llu")
    #expect(
      text("in \(UInt8(1))") == "u" && text("in \(UInt16(1))") == "u"
        && text("in \(UInt32(1))") == "u")
    #expect(text("in \(1.0)") == "lf" && text("in \(CGFloat(1))") == "lf")
    #expect(text("in \(Float(1))") == "f")
    #expect(text("in \(true)") == "@")
  }

  @Test("have the numbers as they are, however large")
  func largeNumbers() {
    #expect(
      String(localized: "\(UInt64.max)", locale: Locale(identifier: "en_US_POSIX"))
        .filter(\.isNumber) == "18446744073709551615")
    #expect(
      String(localized: "\(Int64.min)", locale: Locale(identifier: "en_US_POSIX"))
        .filter(\.isNumber) == "9223372036854775808")
    #expect(String(localized: "\(Int128(UInt64.max) + 1)") == "18446744073709551616")
  }

  @Test("without values are keys and texts as they are")
  func percentSigns() throws {
    let (bundle, folder) = try bundle(["100% sure": "100% sicher"])
    defer { withExtendedLifetime(folder) {} }
    #expect(String(localized: "100% sure", bundle: bundle) == "100% sicher")
    #expect(String(localized: "50% sure", bundle: bundle) == "50% sure")
    #expect(String(localized: "KEY", defaultValue: "5% sure", bundle: bundle) == "5% sure")
  }

  @Test(
    "never read a value as another type, for any table",
    arguments: ["%@ %@ %@ %s", "%s", "%9$@", "%", "%n%n", "%999999999$@", "%lld %@", "%*d"])
  func hostile(format: String) throws {
    let (bundle, folder) = try bundle(["%@ and %lld": format])
    defer { withExtendedLifetime(folder) {} }
    let name = "Ada"
    let text = String(localized: "\(name) and \(7)", bundle: bundle)
    #expect(text.count < 200)
  }

  @Test("are joined to an enumeration")
  func lists() {
    let formatter = ListFormatter()
    formatter.locale = english
    #expect(formatter.string(from: ["a", "b", "c"]) == "a, b, and c")
    #expect(formatter.string(from: [1, 2]) == "1 and 2")
    #expect(formatter.string(for: ["a"]) == "a")
    #expect(!ListFormatter.localizedString(byJoining: ["a", "b"]).isEmpty)
  }
}
