import Foundation

extension Schema.Attribute {
  /// What is special about an attribute.
  public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
    let name: String
    package let transformerName: String?

    private init(_ name: String, transformerName: String? = nil) {
      self.name = name
      self.transformerName = transformerName
    }

    /// No two stored models have the same value; inserting a second one updates the first.
    public static var unique: Option { Option("unique") }
    /// Large values live in files beside the store.
    public static var externalStorage: Option { Option("externalStorage") }
    /// The value is encrypted in the store.
    public static var allowsCloudEncryption: Option { Option("allowsCloudEncryption") }
    /// The value stays in the history after its model has been deleted.
    public static var preserveValueOnDeletion: Option { Option("preserveValueOnDeletion") }
    /// The value is tracked but never written.
    public static var ephemeral: Option { Option("ephemeral") }
    /// The value is indexed for text search.
    public static var spotlight: Option { Option("spotlight") }
    /// The value is kept as one opaque column instead of a column a member.
    public static var codable: Option { Option("codable") }

    /// The value is kept as what the transformer registered as `transformerName` makes of it.
    public static func transformable(by transformerName: String) -> Option {
      Option("transformable", transformerName: transformerName)
    }

    /// The value is kept as what a transformer of this class makes of it. A transformer that is registered under the
    /// class's name comes first.
    public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
      Option("transformable", transformerName: TransformerTypes.note(transformerType))
    }

    public var debugDescription: String {
      transformerName.map { "\(name)(by: \($0))" } ?? name
    }
  }
}
