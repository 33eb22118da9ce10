import Testing

@testable import SwiftDataMacroExpansion

@Suite("Macros at places where they mean nothing")
struct DeclarationDiagnosticsTests {
  private let needsClass =
    "@Model can only be applied to a class: a model has an identity that its context tracks"

  @Test func aStructureIsNoModelAndCanBecomeAClass() {
    expectDiagnostics(
      of: "@Model\npublic struct A {\n  var a: Int\n}",
      [
        diagnostic(
          .modelNeedsClass, needsClass, line: 1, column: 1,
          fixIts: ["replace 'struct' with 'class'"])
      ],
      fixedSource: "@Model\npublic class A {\n  var a: Int\n}")
  }

  @Test(arguments: ["enum A { case a }", "actor A {}", "protocol A {}"])
  func othersAreNoModelsEither(declaration: String) {
    expectDiagnostics(
      of: "@Model \(declaration)",
      [diagnostic(.modelNeedsClass, needsClass, line: 1, column: 1)])
  }

  @Test func onlyModelsAreExpanded() {
    expectExpansion(
      of: "@Model\nstruct A {\n  var a: Int\n}", "struct A {\n  var a: Int\n}",
      diagnostics: [
        diagnostic(
          .modelNeedsClass, needsClass, line: 1, column: 1,
          fixIts: ["replace 'struct' with 'class'"])
      ])
  }

  @Test func anActorOfItsOwnCantIsolateAModel() {
    expectDiagnostics(
      of: "@MainActor @Model\nfinal class A {\n  init() {}\n}",
      [
        diagnostic(
          .globalActor,
          "'@MainActor' can't isolate a model: a model belongs to the context it is in",
          line: 1, column: 1, severity: .warning, fixIts: ["remove '@MainActor'"])
      ],
      fixedSource: "@Model\nfinal class A {\n  init() {}\n}")
  }

  @Test(arguments: ["@Observable", "@Observation.Observable"])
  func aModelIsObservableByItself(attribute: String) {
    for source in ["\(attribute) @Model\n", "@Model \(attribute)\n"] {
      expectDiagnostics(
        of: "\(source)final class A {\n  var a = 1\n  init() {}\n}",
        [
          diagnostic(
            .observableModel,
            "'@Observable' can't be applied to a model: @Model makes it observable",
            line: 1, column: source.hasPrefix("@Model") ? 8 : 1, fixIts: ["remove '\(attribute)'"])
        ])
    }
  }

  @Test func aModelActorIsAnActor() {
    expectDiagnostics(
      of: "@ModelActor\nfinal class A {\n}",
      [
        diagnostic(
          .modelActorNeedsActor, "@ModelActor can only be applied to an actor", line: 1, column: 1,
          fixIts: ["replace 'class' with 'actor'"])
      ],
      fixedSource: "@ModelActor\nfinal actor A {\n}")
    expectDiagnostics(
      of: "@ModelActor struct A {}",
      [
        diagnostic(
          .modelActorNeedsActor, "@ModelActor can only be applied to an actor", line: 1, column: 1)
      ])
  }

  @Test(arguments: ["Attribute", "Relationship", "Transient"])
  func propertyAnnotationsNeedAProperty(name: String) {
    expectDiagnostics(
      of: "class A {\n  @\(name) func a() {}\n}",
      [
        diagnostic(
          .annotationNeedsProperty, "@\(name) can only be applied to a property", line: 2,
          column: 3)
      ])
  }

  @Test(arguments: [
    ("var a: Int { 1 }", "computed"), ("static var a = 1", "static"), ("lazy var a = 1", "lazy"),
  ])
  func attributesNeedStorageInTheInstance(property: String, kind: String) {
    expectDiagnostics(
      of: "class A {\n  @Attribute(.unique) \(property)\n}",
      [
        diagnostic(
          .annotationNeedsStoredProperty,
          "@Attribute has no effect on a \(kind) property: "
            + "only stored properties of an instance are persisted", line: 2, column: 3,
          severity: .warning)
      ])
  }

  @Test(arguments: ["Unique", "Index"])
  func constraintsStandDirectlyInsideAModel(name: String) {
    let message = "#\(name) must stand directly inside a class with @Model"
    expectDiagnostics(
      of: "#\(name)<A>([\\.a])",
      [diagnostic(.constraintOutsideModel, message, line: 1, column: 1)])
    expectDiagnostics(
      of: "class A {\n  #\(name)<A>([\\.a])\n}",
      [diagnostic(.constraintOutsideModel, message, line: 2, column: 3)])
    expectDiagnostics(
      of: "@Model class A {\n  #\(name)<A>([\\.a])\n  var a: Int\n}", [])
    for condition in ["EXTRA", "OTHER", "OTHER\n#else"] {
      expectDiagnostics(
        of: "#if \(condition)\n@Model\n#endif\nclass A {\n  #\(name)<A>([\\.a])\n  var a: Int\n}",
        [])
    }
  }
}
