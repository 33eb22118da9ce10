extension Schema {
  /// The information that the macro read from one property's declaration.
  public struct PropertyMetadata {
    package let name: String
    package let keypath: AnyKeyPath
    package let defaultValue: Any?
    package let metadata: (any SchemaProperty)?

    /// - Parameters:
    ///   - name: The property's name.
    ///   - keypath: The property's key path.
    ///   - defaultValue: The declared initial value.
    ///   - metadata: The description in `@Attribute`, `@Relationship`, `#Unique` or `#Index`.
    public init(
      name: String, keypath: AnyKeyPath, defaultValue: Any? = nil,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }
  }
}
