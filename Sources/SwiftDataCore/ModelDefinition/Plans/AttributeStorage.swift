/// What `@Attribute` asks for beyond the usual column of a type.
package struct AttributeStorage: Sendable, Hashable, Codable {
  /// The name of the transformer that makes the stored bytes.
  package var transformerName: String?
  /// Kept as one column of JSON whatever the type is: `.codable`.
  package var isOpaque = false
  /// Without a column: `.ephemeral`.
  package var isEphemeral = false
  /// Large values are files beside the store: `.externalStorage`.
  package var isExternal = false
  /// The columns are encrypted: `.allowsCloudEncryption`.
  package var isEncrypted = false
  /// Texts have an index for searching: `.spotlight`.
  package var isSearchable = false
  /// A deleted row's value stays in the history: `.preserveValueOnDeletion`.
  package var isPreserved = false

  package init() {}

  init(_ attribute: Schema.Attribute?) {
    guard let attribute else { return }
    transformerName = attribute.options.lazy.compactMap(\.transformerName).first
    isOpaque = attribute.isCodable
    isEphemeral = attribute.options.contains(.ephemeral)
    isExternal = attribute.options.contains(.externalStorage)
    isEncrypted = attribute.options.contains(.allowsCloudEncryption)
    isSearchable = attribute.options.contains(.spotlight)
    isPreserved = attribute.options.contains(.preserveValueOnDeletion)
  }

  /// Whether the stored columns say what the values are, so that a store can compare and sort by them.
  package var isComparable: Bool {
    transformerName == nil && !isEphemeral && !isExternal && !isEncrypted
  }
}
