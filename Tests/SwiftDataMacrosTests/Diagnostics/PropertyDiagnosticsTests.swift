import Testing

@testable import SwiftDataMacroExpansion

@Suite("Properties that a model can't persist")
struct PropertyDiagnosticsTests {
  /// Returns a model whose second line is the property.
  private func model(_ property: String) -> String {
    "@Model\nfinal class A {\n  \(property)\n  init() {}\n}"
  }

  private func expect(
    _ property: String, _ expected: ExpectedDiagnostic, applying fixIt: String? = nil,
    gives fixed: String? = nil
  ) {
    expectDiagnostics(
      of: model(property), [expected], applying: fixIt.map { [$0] }, fixedSource: fixed.map(model))
  }

  @Test func aConstantWithoutValueBecomesAVariable() {
    expect(
      "let a: Int",
      diagnostic(
        .constantIsNotPersisted,
        "constant 'a' can't be persisted: a fetch sets the property after initialization",
        line: 3, column: 3, fixIts: ["replace 'let' with 'var'"]),
      applying: "replace 'let' with 'var'", gives: "var a: Int")
  }

  @Test(arguments: [
    ("replace 'let' with 'var'", "public var a = UUID()"),
    ("add '@Transient'", "@Transient public let a = UUID()"),
  ])
  func aConstantThatDiffersBetweenInstancesDrawsAWarning(fixIt: String, fixed: String) {
    expect(
      "public let a = UUID()",
      diagnostic(
        .constantIsNotRestored,
        "constant 'a' isn't persisted: every fetched instance gets its initial value anew",
        line: 3, column: 10, severity: .warning,
        fixIts: ["replace 'let' with 'var'", "add '@Transient'"]),
      applying: fixIt, gives: fixed)
  }

  @Test(arguments: ["let a = 3", "let a = -1.5", "let a: String = \"x\"", "static let a = B()"])
  func aConstantThatIsTheSameEverywhereMayStay(property: String) {
    expectDiagnostics(of: model(property), [])
  }

  @Test func aTransientPropertyNeedsAValue() {
    expect(
      "@Transient var a: Int",
      diagnostic(
        .transientNeedsDefault,
        "@Transient property 'a' must have a default value or be optional: "
          + "a fetched model has no stored value for it",
        line: 3, column: 18, fixIts: ["make 'a' optional"]),
      applying: "make 'a' optional", gives: "@Transient var a: Int?")
  }

  @Test func anOptionalOfAnExistentialGetsParentheses() {
    expect(
      "@Transient var a: any Shape",
      diagnostic(
        .transientNeedsDefault,
        "@Transient property 'a' must have a default value or be optional: "
          + "a fetched model has no stored value for it",
        line: 3, column: 18, fixIts: ["make 'a' optional"]),
      applying: "make 'a' optional", gives: "@Transient var a: (any Shape)?")
  }

  @Test(arguments: [
    "@Transient var a: Int?", "@Transient var a: Int!", "@Transient var a = 1",
    "@Transient let a = B()", "@Transient var a: Int { 1 }",
  ])
  func aTransientPropertyWithAValueIsFine(property: String) {
    expectDiagnostics(of: model(property), [])
  }

  @Test(arguments: [
    ("var a, b: Int", "var a: Int\n  var b: Int"),
    ("private var a = 1, b: String = \"\"", "private var a = 1\n  private var b: String = \"\""),
  ])
  func severalVariablesAreSplit(property: String, split: String) {
    expect(
      property,
      diagnostic(
        .severalBindings, "@Model needs a declaration of its own for each persisted property",
        line: 3, column: property.hasPrefix("private") ? 15 : 7,
        fixIts: ["split into one declaration for each property"]),
      applying: "split into one declaration for each property", gives: split)
  }

  @Test func aTuplePatternIsRefused() {
    expect(
      "var (a, b) = (1, 2)",
      diagnostic(
        .tuplePattern,
        "@Model can't persist variables of a tuple pattern: declare each one by itself",
        line: 3, column: 7))
  }

  @Test(arguments: ["weak", "unowned"])
  func aReferenceIsHeldByTheStore(modifier: String) {
    expect(
      "\(modifier) var a: B?",
      diagnostic(
        .unownedProperty,
        "'\(modifier)' has no effect on a persisted property: the store holds the reference",
        line: 3, column: 3, severity: .warning, fixIts: ["remove '\(modifier)'"]),
      applying: "remove '\(modifier)'", gives: "var a: B?")
  }

  @Test func aPropertyWrapperClashesWithTheStorage() {
    expect(
      "@Published var a = 1",
      diagnostic(
        .propertyWrapper,
        "property wrapper '@Published' can't be applied to a persisted property: "
          + "@Model stores the value itself",
        line: 3, column: 3, fixIts: ["add '@Transient'"]),
      applying: "add '@Transient'", gives: "@Transient @Published var a = 1")
  }

  @Test func aPropertyIsAnAttributeOrARelationship() {
    expect(
      "@Attribute(.unique) @Relationship var a: B?",
      diagnostic(
        .attributeAndRelationship,
        "a property is an attribute or a relationship: "
          + "@Attribute and @Relationship can't be applied together",
        line: 3, column: 3, fixIts: ["remove '@Attribute(.unique)'"]),
      applying: "remove '@Attribute(.unique)'", gives: "@Relationship var a: B?")
  }

  @Test(arguments: ["[B]", "Set<B>", "[B]?"])
  func aToManyRelationshipIsNotUnique(type: String) {
    expect(
      "@Relationship(.unique) var a: \(type)",
      diagnostic(
        .uniqueToMany,
        "@Relationship(.unique) has no effect on '\(type)': "
          + "a list of models has no single value to compare",
        line: 3, column: 3, severity: .warning))
  }

  @Test func anAttributeOfATransientPropertyHasNoEffect() {
    expect(
      "@Attribute(.unique) @Transient var a = 1",
      diagnostic(
        .annotationOnTransient,
        "@Attribute has no effect on a property that @Transient keeps out of the store",
        line: 3, column: 3, severity: .warning,
        fixIts: ["remove '@Attribute(.unique)'"]),
      applying: "remove '@Attribute(.unique)'", gives: "@Transient var a = 1")
  }

  @Test func anAttributeAloneOnItsLineLeavesNoEmptyLine() {
    expect(
      "@Attribute(.unique)\n  @Transient var a = 1",
      diagnostic(
        .annotationOnTransient,
        "@Attribute has no effect on a property that @Transient keeps out of the store",
        line: 3, column: 3, severity: .warning,
        fixIts: ["remove '@Attribute(.unique)'"]),
      applying: "remove '@Attribute(.unique)'", gives: "@Transient var a = 1")
  }

  @Test func aLazyPropertyWithoutANoteDrawsAWarning() {
    expect(
      "lazy var a = 1",
      diagnostic(
        .lazyIsNotPersisted,
        "lazy property 'a' isn't persisted: every fetched instance makes its value anew",
        line: 3, column: 12, severity: .warning, fixIts: ["add '@Transient'"]),
      applying: "add '@Transient'", gives: "@Transient lazy var a = 1")
    expectDiagnostics(of: model("@Transient lazy var a = 1"), [])
  }

  @Test func repeatedAnnotationsCountTogether() {
    expect(
      "@Attribute(.unique) @Attribute(.spotlight) var a = 1",
      diagnostic(
        .repeatedAnnotation,
        "@Attribute is applied to this property more than once: "
          + "all options count, and can be written in one",
        line: 3, column: 23, severity: .warning))
  }

  @Test(arguments: ["Attribute", "Relationship", "Transient"])
  func aRepeatedAnnotationWithoutOptionsCanGo(name: String) {
    expect(
      "@\(name) @\(name) var a: B?",
      diagnostic(
        .repeatedAnnotation, "@\(name) is applied to this property more than once",
        line: 3, column: 5 + name.count, severity: .warning, fixIts: ["remove '@\(name)'"]),
      applying: "remove '@\(name)'", gives: "@\(name) var a: B?")
  }

  @Test(arguments: ["String", "Int?", "[Date]", "[UUID]?", "[String: Int]"])
  func aRelationshipToAValueIsAnAttribute(type: String) {
    // Outside a model, where no other macro rewrites the attributes and their whitespace before this one.
    expectDiagnostics(
      of: "class A {\n  @Relationship(inverse: nil) var a: \(type)\n}",
      [
        diagnostic(
          .relationshipToValue,
          "@Relationship is taken as @Attribute: '\(type)' is no model",
          line: 2, column: 3, severity: .warning,
          fixIts: ["remove '@Relationship(inverse: nil)'"])
      ],
      applying: ["remove '@Relationship(inverse: nil)'"],
      fixedSource: "class A {\n  var a: \(type)\n}")
  }

  @Test(arguments: ["UUID", "[Data]"])
  func anOptionOfARelationshipToAValueStays(type: String) {
    expect(
      "@Relationship(.unique) var a: \(type)",
      diagnostic(
        .relationshipToValue, "@Relationship is taken as @Attribute: '\(type)' is no model",
        line: 3, column: 3, severity: .warning))
  }

  @Test(arguments: ["B", "B?", "[B]", "Names.String", "Box<Int>"])
  func anyOtherTypeMayBeAModel(type: String) {
    expectDiagnostics(of: model("@Relationship var a: \(type)"), [])
  }

  @Test func anEphemeralKeyHasNoEffect() {
    expect(
      "@Attribute(.unique, .ephemeral) var a = 1",
      diagnostic(
        .uniqueEphemeral,
        "'.unique' has no effect on an ephemeral property: its values aren't written to the store",
        line: 3, column: 3, severity: .warning))
  }

  @Test func anExternalValueIsNotPreserved() {
    expect(
      "@Attribute(.externalStorage, .preserveValueOnDeletion) var a: Data?",
      diagnostic(
        .preservedExternal,
        "'.preserveValueOnDeletion' has no effect with '.externalStorage': the history doesn't keep such"
          + " values of deleted models",
        line: 3, column: 3, severity: .warning))
  }

  @Test func aGlobalActorCantIsolateAProperty() {
    expect(
      "@MainActor var a = 1",
      diagnostic(
        .globalActor,
        "'@MainActor' can't isolate a persisted property: a model belongs to the context it is in",
        line: 3, column: 3, severity: .warning, fixIts: ["remove '@MainActor'"]),
      applying: "remove '@MainActor'", gives: "var a = 1")
    for other in ["@MainActor @Transient var a = 1", "@MainActor var a: Int { 1 }"] {
      expectDiagnostics(of: model(other), [])
    }
  }
}
