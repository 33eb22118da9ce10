import Foundation

extension Schema.Attribute {
  /// An option of an attribute.
  public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
    let name: String
    package let transformerName: String?

    private init(_ name: String, transformerName: String? = nil) {
      self.name = name
      self.transformerName = transformerName
    }

    /// Makes the value unique: inserting a second model with the same value updates the first.
    public static var unique: Option { Option("unique") }
    /// Stores large values in files beside the store.
    public static var externalStorage: Option { Option("externalStorage") }
    /// Encrypts the value in the store.
    public static var allowsCloudEncryption: Option { Option("allowsCloudEncryption") }
    /// Keeps the value in the history after its model has been deleted.
    public static var preserveValueOnDeletion: Option { Option("preserveValueOnDeletion") }
    /// Tracks the value but never writes it.
    public static var ephemeral: Option { Option("ephemeral") }
    /// Indexes the value for text search.
    public static var spotlight: Option { Option("spotlight") }
    /// Stores the value in one opaque column instead of one column for each member.
    public static var codable: Option { Option("codable") }

    /// Stores the output of the transformer registered as `transformerName`.
    public static func transformable(by transformerName: String) -> Option {
      Option("transformable", transformerName: transformerName)
    }

    /// Stores the output of a transformer of this class. A transformer that is registered under the class's name takes
    /// precedence.
    public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
      Option("transformable", transformerName: TransformerTypes.register(transformerType))
    }

    public var debugDescription: String {
      transformerName.map { "\(name)(by: \($0))" } ?? name
    }
  }
}
