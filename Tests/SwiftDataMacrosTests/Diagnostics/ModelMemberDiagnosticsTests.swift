import Testing

@testable import SwiftDataMacroExpansion

@Suite("Properties that hide members of a model")
struct ModelMemberDiagnosticsTests {
  @Test(arguments: ["hasChanges", "isDeleted", "modelContext", "persistentModelID"])
  func aHidingPropertyGetsAWarning(name: String) {
    for declaration in ["var \(name) = 1", "@Transient var \(name) = 1", "var \(name): Int { 1 }"] {
      let column = declaration.hasPrefix("@") ? 18 : 7
      expectDiagnostics(
        of: "@Model\nfinal class A {\n  \(declaration)\n  init() {}\n}",
        [
          diagnostic(
            .shadowsModelMember,
            "property '\(name)' hides the member of that name that every model has: rename it and "
              + "keep the column by @Attribute(originalName:)",
            line: 3, column: column, severity: .warning)
        ])
    }
  }

  @Test func aStaticPropertyHidesNothing() {
    expectDiagnostics(
      of: "@Model\nfinal class A {\n  static var isDeleted = 1\n  init() {}\n}", [])
  }
}
