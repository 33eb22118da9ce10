import Testing

@testable import SwiftDataMacroExpansion

@Suite("The expansion of @Snapshotable")
struct SnapshotableMacroTests {
  private func lines(_ members: String, head: String = "final class A") -> [String] {
    expandedLines(of: "@Model @Snapshotable \(head) {\n\(members)\n}")
  }

  @Test func standardTypesAreWrittenAsTheyAre() {
    let lines = lines("public var a: Int\nvar b: [String: Date?]?", head: "public final class A")
    #expect(lines.contains("public struct Snapshot: SwiftDataExtras.ModelSnapshot {"))
    #expect(lines.contains("public var persistentModelID: SwiftData.PersistentIdentifier?"))
    #expect(lines.contains("public var a: Int"))
    #expect(lines.contains("var b: [String: Date?]?"))
    #expect(
      lines.contains(
        "public init(persistentModelID: SwiftData.PersistentIdentifier? = nil, a: Int, "
          + "b: [String: Date?]? = nil) {"))
    #expect(lines.contains("self.b = try row.value(of: [String: Date?]?.self)"))
    #expect(
      lines.contains(
        "extension A: nonisolated SwiftDataExtras.SnapshotableModel {}"))
  }

  @Test func theCompilerDecidesAboutTypesThatMayBeModels() {
    let lines = lines("var a: B?\nvar c = f()")
    #expect(lines.contains("static let type = SwiftDataExtras._snapshotType(of: B?.self)"))
    #expect(lines.contains("var a: _a.Value"))
    #expect(lines.contains("static let type = SwiftDataExtras._snapshotType(ofValue: f())"))
    #expect(lines.contains("self.c = try row.value(of: _c.Value.self)"))
  }

  @Test func declaredRelationshipsToOneAreIdentifiersAndThoseToManyAreSkipped() {
    let lines = lines("@Relationship var a: B?\n@Relationship(deleteRule: .cascade) var b: [B]")
    #expect(lines.contains("var a: SwiftData.PersistentIdentifier?"))
    #expect(lines.contains("self.a = try row.reference()"))
    #expect(lines.contains("try row.skip()"))
    #expect(!lines.contains { $0.contains("self.b = SwiftDataExtras._snapshotValue") })
  }

  @Test func declaredRelationshipsToValuesAreValues() {
    let lines = lines(
      "@Relationship var a: Int?\n@Relationship(deleteRule: .cascade) var b: [Data]")
    #expect(lines.contains("var a: Int?"))
    #expect(lines.contains("self.a = try row.value(of: Int?.self)"))
    #expect(lines.contains("self.b = try row.value(of: [Data].self)"))
  }

  @Test(arguments: ["EXTRA", "OTHER"])
  func theModelMayBeConditional(condition: String) {
    let lines = expandedLines(
      of: "#if \(condition)\n@Model\n#endif\n@Snapshotable\nfinal class A {\n  var a: Int\n}")
    #expect(lines.contains("var a: Int"))
    #expect(lines.contains { $0.hasPrefix("struct Snapshot: ") })
  }

  @Test(arguments: [
    "@SnapshotIgnored", "@Attribute(.ephemeral)", "@Attribute(.transformable(by: T.self))",
  ])
  func someAttributesAreSkipped(annotation: String) {
    let lines = lines("\(annotation) var a: Int = 0")
    #expect(lines.contains("try row.skip()"))
    #expect(lines.contains(#"values.start(\A.a, of: self, with: 0)"#))
    #expect(!lines.contains { $0.contains("self.a = try") })
  }

  @Test func transientPropertiesHaveNoPlaceInTheRow() {
    let lines = lines("@Transient var a = 0")
    #expect(!lines.contains { $0.contains("row.") && $0.hasPrefix("try") })
  }

  @Test func codableAttributesAreReadAsJSON() {
    #expect(
      lines("@Attribute(.codable) var a: Int").contains("self.a = try row.opaque(of: Int.self)"))
  }

  @Test func privatePropertiesAreInTheSnapshotForTheFileOnly() {
    let lines = lines("private var a: Int\nprivate var b: B", head: "public final class A")
    #expect(lines.contains("fileprivate var a: Int"))
    #expect(lines.contains("fileprivate enum _b: SwiftDataExtras._SnapshotMember {"))
    #expect(lines.contains { $0.hasPrefix("fileprivate init(persistentModelID") })
  }

  @Test func aClassWithInheritanceClauseIsChecked() {
    let check = "SwiftDataExtras._requireTopmostModel(A.self)"
    #expect(lines("var a: Int", head: "class A: B").contains(check))
    #expect(!lines("var a: Int").contains(check))
  }

  private let needsModel =
    "@Snapshotable needs @Model beside it: a snapshot has the stored properties of a model"

  @Test func aClassWithoutModelCanBecomeOne() {
    expectDiagnostics(
      of: "@Snapshotable\nfinal class A {\n  var a: Int = 0\n}",
      [
        diagnostic(
          .snapshotNeedsModel, needsModel, line: 1, column: 1, fixIts: ["add '@Model'"])
      ],
      fixedSource: "@Model @Snapshotable\nfinal class A {\n  var a: Int = 0\n}")
  }

  @Test(arguments: ["struct", "enum", "actor"])
  func othersHaveNoSnapshot(keyword: String) {
    expectDiagnostics(
      of: "@Snapshotable \(keyword) A {}",
      [diagnostic(.snapshotNeedsModel, needsModel, line: 1, column: 1)])
  }

  @Test func ignoringIsForProperties() {
    expectDiagnostics(
      of: "class A {\n  @SnapshotIgnored func a() {}\n}",
      [
        diagnostic(
          .annotationNeedsProperty, "@SnapshotIgnored can only be applied to a property", line: 2,
          column: 3)
      ])
  }
}
