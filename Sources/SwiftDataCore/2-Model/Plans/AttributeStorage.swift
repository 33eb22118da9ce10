/// The storage options of `@Attribute` beyond the usual column of a type.
package struct AttributeStorage: Sendable, Hashable, Codable {
  /// The name of the transformer that makes the stored bytes.
  package var transformerName: String?
  /// Whether the value is stored as one column of JSON, whatever its type: `.codable`.
  package var isOpaque = false
  /// Whether the property has no column: `.ephemeral`.
  package var isEphemeral = false
  /// Whether large values are files beside the store: `.externalStorage`.
  package var isExternal = false
  /// Whether the columns are encrypted: `.allowsCloudEncryption`.
  package var isEncrypted = false
  /// Whether texts have an index for searching: `.spotlight`.
  package var isSearchable = false
  /// Whether a deleted row's value stays in the history: `.preserveValueOnDeletion`.
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

  /// Whether code with this suffix of the row methods (see the macro's `rowMethodSuffix`) stores values of the type as
  /// the options say.
  func fits(rowMethodSuffix: String, storing type: any Any.Type) -> Bool {
    if isEphemeral { return rowMethodSuffix == "Ephemeral" }
    if transformerName != nil { return rowMethodSuffix == "Transformed" }
    if rowMethodSuffix.isEmpty { return !isOpaque || PropertyShape.scalarKind(of: type) == nil }
    return isOpaque && rowMethodSuffix == "Opaque"
  }

  /// Whether the columns store the values directly, so that a store can compare and sort by them.
  package var isComparable: Bool {
    transformerName == nil && !isEphemeral && !isExternal && !isEncrypted
  }
}
