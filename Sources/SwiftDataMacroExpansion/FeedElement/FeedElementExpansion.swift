import SwiftSyntax

/// The members that `@FeedElement` adds to a structure.
///
/// No type is written: names that are visible where the structure is declared may not be visible in an extension. The
/// compiler infers the types from the properties.
struct FeedElementExpansion {
  /// The decoded properties, in their order.
  let fields: [TokenSyntax]
  /// The access modifier of the initialiser, followed by a space.
  let access: String

  var members: String {
    let keys = fields.map { "CodingKeys.\($0.text)" }.joined(separator: ", ")
    let names = fields.map(\.text)
    let variables = names.enumerated().map { index, name in
      "    var value\(index) = _FeedReader.nothing { (element: Self) in element.\(name) }"
    }
    let cases = names.indices.map { "      case \($0): try reader.take(&value\($0))" }
    let properties = names.enumerated().map { index, name in
      "    self.\(name) = try _FeedReader.present(value\(index))"
    }
    let lines =
      [
        "  private nonisolated static let _feedKeys = _FeedKeys([\(keys)])",
        "",
        "  \(access)nonisolated init(_feed reader: inout _FeedReader) throws(_FeedMismatch) {",
        "    var members = try reader.beginObject(Self._feedKeys)",
      ] + variables + [
        "    reading: while true {",
        "      switch try reader.nextMember(&members) {",
      ] + cases + [
        "      default: break reading",
        "      }",
        "    }",
      ] + properties + ["  }"]
    return lines.joined(separator: "\n")
  }
}
