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

  @Test(arguments: ["var _a = 1", "@Transient var _a = 1", "var _a: Int { 1 }"])
  func aPropertyCantHaveTheNameOfAnothersStorage(declaration: String) {
    expectDiagnostics(
      of: "@Model\nfinal class A {\n  \(declaration)\n  var a: Int\n  init() { a = 1 }\n}",
      [
        diagnostic(
          .storageNameTaken,
          "'_a' is the name of the storage that @Model makes for 'a': rename one of them; "
            + "@Attribute(originalName:) keeps its column",
          line: 3, column: declaration.hasPrefix("@") ? 18 : 7)
      ])
  }

  @Test(arguments: ["static var _a = 1", "var _b = 1", "func _c() {}"])
  func othersMayBeginWithAnUnderscore(declaration: String) {
    expectDiagnostics(
      of: "@Model\nfinal class A {\n  \(declaration)\n  var a: Int\n  init() { a = 1 }\n}", [])
  }
}
