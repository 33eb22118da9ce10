import Testing

@testable import SwiftDataMacroExpansion

@Suite("The memberwise initializer of a class without a designated one")
struct MemberwiseInitializerTests {
  /// Returns the first line of the generated initialiser.
  private func signature(_ members: String) -> String? {
    expandedLines(of: "@Model final class A {\n\(members)\n}")
      .first {
        $0.contains("init(") && $0.hasSuffix(") {") && !$0.contains("_hollow")
          && !$0.contains("init(initialValue")
      }
  }

  @Test func parametersStandInTheOrderOfDeclaration() {
    let members = "var code: String\nvar time: Date\nvar place: Place?"
    #expect(signature(members) == "init(code: String, time: Date, place: Place? = nil) {")
  }

  @Test func eachParameterIsAssigned() {
    let lines = expandedLines(of: "@Model final class A { var a: Int; var `in`: Int }")
    #expect(lines.contains("init(a: Int, `in`: Int) {"))
    #expect(lines.contains("self.a = a"))
    #expect(lines.contains("self.`in` = `in`"))
  }

  @Test(arguments: [
    ("var a: Double = 1", "a: Double = 1"),
    ("var a = 3", "a: Swift.Int = 3"),
    ("var a = 3.5", "a: Swift.Double = 3.5"),
    ("var a = \"x\"", "a: Swift.String = \"x\""),
    ("var a = false", "a: Swift.Bool = false"),
    ("var a = Date()", "a: Date = Date()"),
    ("var a = [UUID]()", "a: [UUID] = [UUID]()"),
    ("var a = [Int](repeating: 0, count: 3)", "a: [Int] = [Int](repeating: 0, count: 3)"),
    ("var a = Set<Int>()", "a: Set<Int> = Set<Int>()"),
    ("var a = Space.Kind()", "a: Space.Kind = Space.Kind()"),
    ("var a: String!", "a: String? = nil"),
  ])
  func initialValuesBecomeDefaultArguments(member: String, parameter: String) {
    #expect(signature(member) == "init(\(parameter)) {")
  }

  @Test func aValueOfUnknownTypeKeepsItsPropertyOutOfTheParameters() {
    #expect(signature("var a = makeValue()\nvar b: Int") == "init(b: Int) {")
    #expect(signature("var a = Kind.calm\nvar b: Int") == "init(b: Int) {")
    #expect(signature("var a = URL(string: \"x\")\nvar b: Int") == "init(b: Int) {")
    #expect(signature("var a = Int(\"5\")\nvar b: Int") == "init(b: Int) {")
    #expect(signature("var a = Set([\"x\"])\nvar b: Int") == "init(b: Int) {")
    #expect(signature("var a = Kind { 1 }\nvar b: Int") == "init(b: Int) {")
  }

  @Test func privatePropertiesStayPrivate() {
    #expect(signature("private var a = 1\nvar b: Int") == "init(b: Int) {")
    #expect(
      signature("private var a: Int\nvar b: Int") == "fileprivate init(a: Int, b: Int) {")
    #expect(signature("private(set) var a: Int") == "init(a: Int) {")
  }

  @Test func transientPropertiesAreNoParameters() {
    #expect(signature("@Transient var a: Int = 1\nvar b: Int") == "init(b: Int) {")
  }

  @Test func aConvenienceInitializerDoesntReplaceIt() {
    let members = "var a: Int\nconvenience init() { self.init(a: 1) }"
    #expect(signature(members) == "init(a: Int) {")
  }

  @Test(arguments: ["init() { a = 1 }", "init?(b: Int) { a = b }", "required init() { a = 1 }"])
  func aDesignatedInitializerReplacesIt(initializer: String) {
    let lines = expandedLines(of: "@Model final class A { var a: Int; \(initializer) }")
    #expect(!lines.contains("init(a: Int) {"))
  }
}
