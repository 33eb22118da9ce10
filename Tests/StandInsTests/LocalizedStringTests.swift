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
