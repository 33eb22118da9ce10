import Testing

@testable import SwiftDataMacroExpansion

@Suite("The expansion of @Query")
struct QueryMacroTests {
  @Test func theWholeExpansion() {
    expectExpansion(
      of: """
        struct Sidebar {
          @Query(sort: \\Trip.start, order: .reverse) private var trips: [Trip]
        }
        """,
      """
      struct Sidebar {
        private var trips: [Trip] {
          get {
            _trips._value(for: self)
          }
        }

        private var _trips = SwiftData.Query<Trip, [Trip]>(sort: \\Trip.start, order: .reverse)
      }
      """)
  }

  @Test(arguments: [
    ("@Query var a: [Trip]", "var _a = SwiftData.Query<Trip, [Trip]>()"),
    ("@Query() public var a: Array<Trip>", "var _a = SwiftData.Query<Trip, Array<Trip>>()"),
    (
      "@Query(sectionBy: \\Trip.name) fileprivate var a: SwiftData.SectionedResults<Trip, String>",
      "fileprivate var _a = SwiftData.Query<Trip, SwiftData.SectionedResults<Trip, String>>"
        + "(sectionBy: \\Trip.name)"
    ),
  ])
  func theStorage(source: String, expected: String) {
    #expect(expandedLines(of: "struct A {\n\(source)\n}").contains(expected))
  }

  @Test(arguments: [
    "var a: Trip", "var a = [Trip]()", "var a: [Trip] = []", "let a: [Trip]",
    "static var a: [Trip]", "var a: [Trip] { [] }",
  ])
  func otherVariablesAreRefused(variable: String) {
    let start = variable.hasPrefix("static") ? 19 : 12
    expectDiagnostics(
      of: "struct A {\n@Query \(variable)\n}",
      [
        diagnostic(
          .queryNeedsResults,
          "@Query needs a 'var' without initial value whose type is written as an array of models or"
            + " as 'SectionedResults'", line: 2, column: start)
      ])
  }
}
