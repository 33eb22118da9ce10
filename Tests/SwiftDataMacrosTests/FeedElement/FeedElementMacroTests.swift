import Testing

@testable import SwiftDataMacroExpansion

@Suite("The expansion of @FeedElement")
struct FeedElementMacroTests {
  private func lines(_ members: String, head: String = "struct A") -> [String] {
    expandedLines(of: "@FeedElement \(head) {\n\(members)\n}")
  }

  @Test func theWholeExpansion() {
    expectExpansion(
      of: """
        @FeedElement
        public struct A: Decodable {
          var a: Int
          let b: B.C?
        }
        """,
      """
      public struct A: Decodable {
        var a: Int
        let b: B.C?
      }

      extension A: nonisolated FeedElement {
        private nonisolated static let _feedKeys = _FeedKeys([CodingKeys.a, CodingKeys.b])

        public nonisolated init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {
          var members = try reader.beginObject(Self._feedKeys)
          var value0 = _FeedReader.nothing { (element: Self) in element.a }
          var value1 = _FeedReader.nothing { (element: Self) in element.b }
          reading: while true {
            switch try reader.nextMember(&members) {
            case 0: try reader.take(&value0)
            case 1: try reader.take(&value1)
            default: break reading
            }
          }
          self.a = try _FeedReader.present(value0)
          self.b = try _FeedReader.present(value1)
        }
      }
      """)
  }

  /// Returns the line with the keys that the expansion looks up.
  private func keys(_ members: String) -> String? {
    lines(members).first { $0.contains("_FeedKeys([") }
  }

  @Test(arguments: [
    ("var a, b: Int", "CodingKeys.a, CodingKeys.b"),
    ("var a = 1", "CodingKeys.a"),
    ("let a = 1\nlet b: Int", "CodingKeys.b"),
    ("var `default`: Int", "CodingKeys.`default`"),
    (
      "static var a = 1\nlazy var b = 1\nvar c: Int { 1 }\nvar d: Int { didSet {} }", "CodingKeys.d"
    ),
    (
      "var a: Int\nvar b = 1\nenum CodingKeys: String, CodingKey { case a = \"x\" }", "CodingKeys.a"
    ),
    ("#if EXTRA\nvar a: Int\n#else\nvar b: Int\n#endif", "CodingKeys.a"),
    ("", ""),
  ])
  func theKeysAreThoseOfTheCompilersDecoding(members: String, expected: String) {
    #expect(
      keys(members) == "private nonisolated static let _feedKeys = _FeedKeys([\(expected)])")
  }

  @Test func otherInitialisersMayStand() {
    #expect(keys("var a: Int\ninit(from text: String, in b: B) { a = 1 }\ninit() {}") != nil)
  }

  @Test(arguments: ["class", "enum", "actor"])
  func othersAreRefused(keyword: String) {
    expectDiagnostics(
      of: "@FeedElement \(keyword) A {}",
      [
        diagnostic(
          .feedElementNeedsStructure, "@FeedElement can only be applied to a structure", line: 1,
          column: 1)
      ])
  }

  @Test func genericStructuresAreRefused() {
    expectDiagnostics(
      of: "@FeedElement struct A<B> {}",
      [
        diagnostic(
          .feedElementIsGeneric,
          "@FeedElement can't be applied to a generic structure: "
            + "it writes down the keys of the members once for a type",
          line: 1, column: 22)
      ])
  }

  @Test func aDecodingOfItsOwnIsRefused() {
    expectDiagnostics(
      of: "@FeedElement struct A {\n  init(from decoder: any Decoder) throws {}\n}",
      [
        diagnostic(
          .feedElementDecodesItself,
          "@FeedElement doesn't know what 'init(from:)' does: "
            + "leave it to the compiler, or remove '@FeedElement'",
          line: 2, column: 3)
      ])
  }

  @Test func severalNamesAtOnceAreRefused() {
    expectDiagnostics(
      of: "@FeedElement struct A {\n  var (a, b): (Int, Int)\n}",
      [
        diagnostic(
          .feedElementNeedsNames,
          "@FeedElement needs a name for each stored property: declare them one by one", line: 2,
          column: 7)
      ])
  }

  @Test func wrappersAreRefused() {
    expectDiagnostics(
      of: "@FeedElement struct A {\n  @Clamped var a: Int\n}",
      [
        diagnostic(
          .feedElementHasWrapper,
          "@FeedElement can't decode a property with '@Clamped': the wrapper has its own decoding",
          line: 2, column: 3)
      ])
  }
}
