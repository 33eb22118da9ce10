import SwiftSyntax

/// The class's description for the schema.
extension ModelClass {
  /// One entry for each persisted property, then one for each `#Unique` and `#Index`.
  var schemaMetadata: String {
    let entries = properties.map(entry) + constraints(of: "Unique") + constraints(of: "Index")
    let keyword = isSubmodel ? "override class" : isFinal ? "static" : "class"
    let type = "[SwiftData.Schema.PropertyMetadata]"
    if isSubmodel {
      return """
        \(deprecation)\(visibility)\(keyword) var schemaMetadata: \(type) {
          super.schemaMetadata + [
        \(entries.map { "    \($0)," }.joined(separator: "\n"))
          ] as \(type)
        }
        """
    }
    guard !entries.isEmpty else {
      return "\(visibility)\(keyword) var schemaMetadata: \(type) { [] }"
    }
    return """
      \(deprecation)\(visibility)\(keyword) var schemaMetadata: \(type) {
        [
      \(entries.map { "    \($0)," }.joined(separator: "\n"))
        ]
      }
      """
  }

  /// The attribute that makes the metadata deprecated: a key path to a deprecated property draws no
  /// warning from deprecated code.
  private var deprecation: String {
    let isNeeded = properties.contains { $0.isDeprecated }
    return isNeeded ? "@available(*, deprecated, message: \"Names deprecated properties.\")\n" : ""
  }

  private func entry(_ property: PersistedProperty) -> String {
    entry(
      name: property.name, keyPath: property.keyPath(of: name),
      defaultValue: property.defaultValueText, metadata: property.metadataText)
  }

  /// The entries of `#Unique` or `#Index`. They concern several properties, so their key path is
  /// the model's identity and their name is one that no property can have.
  private func constraints(of macro: String) -> [String] {
    declarations(of: macro).enumerated().compactMap { position, constraint in
      if namesUnknownProperty(constraint) { return nil }
      return entry(
        name: "#\(macro)[\(position)]", keyPath: "\\\(name).persistentModelID",
        defaultValue: "nil",
        metadata: "SwiftData.Schema.\(macro)<\(name)>(\(constraint.arguments.trimmedDescription))")
    }
  }

  private func entry(
    name: String, keyPath: String, defaultValue: String, metadata: String
  ) -> String {
    // A raw identifier may contain quotation marks.
    let marks = name.contains("\"") ? "##" : ""
    return """
      SwiftData.Schema.PropertyMetadata(name: \(marks)"\(name)"\(marks), keypath: \(keyPath), \
      defaultValue: \(defaultValue), metadata: \(metadata))
      """
  }
}
