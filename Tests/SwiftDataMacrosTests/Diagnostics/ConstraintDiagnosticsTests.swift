import Testing

@testable import SwiftDataMacroExpansion

@Suite("Constraints that can't hold")
struct ConstraintDiagnosticsTests {
  /// Returns a model whose second line is the constraint and whose third is a property.
  private func model(_ constraint: String, _ property: String) -> String {
    "@Model\nfinal class A {\n  \(constraint)\n  \(property)\n  init() {}\n}"
  }

  @Test(arguments: [
    ("@Transient var b = 1", "@Transient keeps it out of the store"),
    ("var b: Int { 1 }", "a computed property isn't stored"),
    ("static var b = 1", "a static property isn't stored"),
    ("@Transient lazy var b = 1", "@Transient keeps it out of the store"),
    ("let b = 1", "a constant isn't stored"),
    ("@Attribute(.ephemeral) var b = 1", "an ephemeral property isn't written to the store"),
    ("@Relationship var b: [A] = []", "a to-many relationship has no single value to compare"),
  ])
  func aPropertyWithoutAColumnIsRefused(property: String, reason: String) {
    for (macro, argument, column) in [
      ("Unique", "[\\.b]", 17), ("Index", "[\\A.b]", 17), ("Index", ".rtree([\\.b])", 23),
    ] {
      expectDiagnostics(
        of: model("#\(macro)<A>(\(argument))", property),
        [
          diagnostic(
            .constraintOnUnsuitableProperty, "#\(macro) can't name 'b': \(reason)", line: 3,
            column: column)
        ])
    }
  }

  @Test(arguments: [
    "var b = 1", "@Relationship var b: A?", "@Attribute(.unique) var b = [1]",
    "var b: Int = 1 { didSet {} }",
  ])
  func aPropertyWithAColumnIsFine(property: String) {
    expectDiagnostics(of: model("#Unique<A>([\\.b], [\\.b.c])", property), [])
  }

  @Test func aPropertyOfASuperclassIsFine() {
    let source = model("#Unique<A>([\\.b])", "var c = 1")
    expectDiagnostics(
      of: source.replacingOccurrences(of: "class A {", with: "class A: Base {"), [])
  }

  @Test func aNameThatTheClassDoesntHaveIsRefusedOnce() {
    expectDiagnostics(
      of: model("#Unique<A>([\\.nme])", "var name = 1"),
      [
        diagnostic(
          .constraintOnUnsuitableProperty,
          "#Unique can't name 'nme': A has no stored property of that name", line: 3, column: 17)
      ])
  }

  @Test func aConstraintNamesTheClassThatItStandsIn() {
    expectDiagnostics(
      of: model("#Index<B>([\\.a])", "var a = 1"),
      [
        diagnostic(
          .constraintOfAnotherClass,
          "#Index names 'B' but holds for 'A', the class that it stands in", line: 3, column: 10,
          severity: .warning, fixIts: ["replace 'B' with 'A'"])
      ],
      applying: ["replace 'B' with 'A'"], fixedSource: model("#Index<A>([\\.a])", "var a = 1"))
  }

  @Test(arguments: ["A", "Names.A", "Self", "A<Int>"])
  func theClassHasSeveralNames(name: String) {
    expectDiagnostics(of: model("#Unique<\(name)>([\\.a])", "var a = 1"), [])
  }
}
