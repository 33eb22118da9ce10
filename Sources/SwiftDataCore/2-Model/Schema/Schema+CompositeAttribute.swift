extension Schema {
  /// An attribute whose value is a structure stored member by member.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    // Unchecked for the reason given at ``Schema/Attribute``.

    /// The members in declaration order.
    public final var properties: [Attribute] = []

    /// Creates the attribute of a structure with the structure's type.
    public override init(
      name: String, originalName: String? = nil, options: [Option] = [],
      valueType: any Any.Type, defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      super.init(
        name: name, originalName: originalName, options: options, valueType: valueType,
        defaultValue: defaultValue, hashModifier: hashModifier)
    }

    /// Creates an attribute from its encoded form.
    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      properties = try container.decode([Attribute].self, forKey: .properties)
      try super.init(from: decoder)
    }

    public override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(properties, forKey: .properties)
    }

    public override var debugDescription: String {
      "Schema.CompositeAttribute(name: \(name), properties: \(properties))"
    }

    /// Compares the attributes with their members.
    public static func == (lhs: CompositeAttribute, rhs: CompositeAttribute) -> Bool {
      (lhs as Attribute) == (rhs as Attribute) && lhs.properties == rhs.properties
    }
  }
}
