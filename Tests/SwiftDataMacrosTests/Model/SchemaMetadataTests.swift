import Testing

@testable import SwiftDataMacroExpansion

@Suite("The schema metadata of @Model")
struct SchemaMetadataTests {
  /// Returns the entry of a model's only property.
  private func entry(_ property: String) -> String? {
    expandedLines(of: "@Model final class A { \(property); init() {} }")
      .first { $0.hasPrefix("SwiftData.Schema.PropertyMetadata(") }
  }

  private func expected(
    _ defaultValue: String, metadata: String = "nil", name: String = "a"
  ) -> String {
    """
    SwiftData.Schema.PropertyMetadata(name: "\(name)", keypath: \\A.\(name), \
    defaultValue: \(defaultValue), metadata: \(metadata)),
    """
  }

  @Test(arguments: [
    ("var a: Int", "nil"),
    ("var a: Int? = nil", "nil"),
    ("var a = 3", "3"),
    ("var a: Double = 1", "1 as Double"),
    ("var a: Kind = .a", ".a as Kind"),
    ("var a: Kind? = .a", ".a as Kind?"),
    ("var a: String! = \"x\"", "\"x\" as String?"),
    ("var a: Int = 60 * 60", "(60 * 60) as Int"),
    ("var a: Int = b ?? 3", "(b ?? 3) as Int"),
    ("var a: [Int] = []", "[] as [Int]"),
    ("var a: Date = Date()", "Date() as Date"),
    ("var a: Int = -1", "(-1) as Int"),
  ])
  func aDefaultValueHasTheTypeOfItsProperty(property: String, defaultValue: String) {
    #expect(entry(property) == expected(defaultValue))
  }

  @Test(arguments: [
    ("@Attribute var a: Int", "SwiftData.Schema.Attribute()"),
    ("@Attribute() var a: Int", "SwiftData.Schema.Attribute()"),
    ("@SwiftData.Attribute(.unique) var a: Int", "SwiftData.Schema.Attribute(.unique)"),
    (
      "@Attribute(.unique, .someday, originalName: \"o\") var a: Int",
      "SwiftData.Schema.Attribute(.unique, .someday, originalName: \"o\")._stored(by: \"\")"
    ),
    (
      "@Attribute(shared, .codable) var a: Int",
      "SwiftData.Schema.Attribute(shared, .codable)._stored(by: \"Opaque\")"
    ),
    (
      "@Attribute(originalName: \"o\") @Attribute(.unique) @Attribute(.spotlight) var a: Int",
      "SwiftData.Schema.Attribute(.unique, .spotlight, originalName: \"o\")"
    ),
    (
      "@Attribute(originalName: \"o\") @Attribute(originalName: \"p\") var a: Int",
      "SwiftData.Schema.Attribute(originalName: \"o\")"
    ),
    ("@Attribute @Attribute(.codable) var a: Int", "SwiftData.Schema.Attribute(.codable)"),
    (
      "@Relationship(inverse: \\B.a) @Relationship(.unique, deleteRule: .deny) var a: B?",
      "SwiftData.Schema.Relationship(.unique, deleteRule: .deny, inverse: \\B.a)"
    ),
    (
      "@Relationship(.unique) var a: Int",
      "SwiftData.Schema.Relationship(.unique)"
    ),
    (
      "@Attribute(.transformable(by: T.self), .spotlight) var a: Int",
      "SwiftData.Schema.Attribute(.transformable(by: T.self), .spotlight)"
    ),
    (
      "@Relationship(deleteRule: .cascade, inverse: \\B.a) var a: [B]",
      "SwiftData.Schema.Relationship(deleteRule: .cascade, inverse: \\B.a)"
    ),
    (
      "@Relationship(.unique, deleteRule: .deny) var a: B?",
      "SwiftData.Schema.Relationship(.unique, deleteRule: .deny)"
    ),
    (
      "@Relationship(.cascade, inverse: \\B.a) var a: [B]",
      "SwiftData.Schema.Relationship(deleteRule: .cascade, inverse: \\B.a)"
    ),
  ])
  func annotationsBecomeMetadataWithAllTheirArguments(property: String, metadata: String) {
    #expect(entry(property) == expected("nil", metadata: metadata))
  }

  @Test func constraintsAreNamedAsNoPropertyCanBe() {
    let lines = expandedLines(
      of: """
        @Model final class A {
          #Unique<A>([\\.a], [\\.a, \\.b])
          #Index<A>([\\.b])
          #Index<A>(.rtree([\\.a, \\.b]))
          var a = 1
          var b = 2
          init() {}
        }
        """
    ).filter { $0.contains("persistentModelID, default") }
    #expect(
      lines == [
        """
        SwiftData.Schema.PropertyMetadata(name: "#Unique[0]", keypath: \\A.persistentModelID, \
        defaultValue: nil, metadata: SwiftData.Schema.Unique<A>([\\.a], [\\.a, \\.b])),
        """,
        """
        SwiftData.Schema.PropertyMetadata(name: "#Index[0]", keypath: \\A.persistentModelID, \
        defaultValue: nil, metadata: SwiftData.Schema.Index<A>([\\.b])),
        """,
        """
        SwiftData.Schema.PropertyMetadata(name: "#Index[1]", keypath: \\A.persistentModelID, \
        defaultValue: nil, metadata: SwiftData.Schema.Index<A>(.rtree([\\.a, \\.b]))),
        """,
      ])
  }

  @Test func aNameInBackticksIsPlainInTheSchema() {
    #expect(
      entry("var `default`: Int") == """
        SwiftData.Schema.PropertyMetadata(name: "default", keypath: \\A.`default`, \
        defaultValue: nil, metadata: nil),
        """)
  }

  @Test func aModelWithoutPropertiesHasNoEntries() {
    let lines = expandedLines(of: "@Model final class A { init() {} }")
    #expect(
      lines.contains("static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] { [] }"))
  }

  @Test func metadataThatNamesADeprecatedPropertyIsDeprecatedItself() {
    let source = "@available(*, deprecated, message: \"old\") var a = 1"
    let deprecated = expansion(of: "@Model class A { \(source); init() {} }")
    let plain = expansion(of: "@Model class A { @available(macOS 15, *) var a = 1; init() {} }")
    let attribute = "@available(*, deprecated, message: \"Names deprecated properties.\")"
    #expect(deprecated.contains(attribute))
    #expect(!plain.contains(attribute))
  }
}
