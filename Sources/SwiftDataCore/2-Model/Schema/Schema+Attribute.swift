extension Schema {
  /// A persisted value of an entity.
  ///
  /// `@unchecked Sendable` in the API: schemas are built once and only read afterwards.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    public var name: String
    public var originalName: String
    /// The options of the attribute.
    public var options: [Option]
    public var valueType: any Any.Type {
      didSet { writtenTypeName = nil }
    }
    /// The type's name in the file that the attribute was decoded from: this program may not have the type.
    private var writtenTypeName: String?
    /// The value of new models, and of stored ones to which the attribute is added.
    public var defaultValue: Any?
    /// A text that distinguishes versions of the attribute that look alike.
    public var hashModifier: String?
    private var isOptionalOverride: Bool?
    /// The suffix of the row methods that `@Model` chose, where it couldn't recognise all options.
    private(set) var rowMethodSuffix: String?

    /// The attribute as `@Attribute` describes it; name and type come from the property.
    public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.options = options
      name = ""
      self.originalName = originalName ?? ""
      valueType = Any.self
      self.hashModifier = hashModifier
    }

    /// Creates an attribute with the type of its values.
    public init(
      name: String, originalName: String? = nil, options: [Option] = [],
      valueType: any Any.Type, defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? name
      self.options = options
      self.valueType = valueType
      self.defaultValue = defaultValue
      self.hashModifier = hashModifier
    }

    /// Records how the expansion of `@Model` stores the property, and returns the attribute. Only an expansion that
    /// doesn't recognise all options calls it.
    public func _stored(by rowMethodSuffix: String) -> Attribute {
      self.rowMethodSuffix = rowMethodSuffix
      return self
    }

    enum CodingKeys: CodingKey {
      case name, originalName, options, valueType, isOptional, hashModifier, properties
    }

    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      originalName = try container.decode(String.self, forKey: .originalName)
      options = try container.decode([Option].self, forKey: .options)
      let typeName = try container.decode(String.self, forKey: .valueType)
      valueType = SchemaTypeName.type(named: typeName)
      writtenTypeName = typeName
      isOptionalOverride = try container.decode(Bool.self, forKey: .isOptional)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(originalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      try container.encode(typeName, forKey: .valueType)
      try container.encode(isOptional, forKey: .isOptional)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }

    private var typeName: String { writtenTypeName ?? SchemaTypeName.name(of: valueType) }

    public var isOptional: Bool {
      get { isOptionalOverride ?? (valueType is any OptionalType.Type) }
      set { isOptionalOverride = newValue }
    }
    public var isAttribute: Bool { true }
    public var isRelationship: Bool { false }
    public var isTransient: Bool { options.contains(.ephemeral) }
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether a value transformer encodes the values.
    public var isTransformable: Bool { options.contains { $0.transformerName != nil } }
    /// Whether the values are stored as one column of JSON.
    public var isCodable: Bool { options.contains(.codable) }

    public var debugDescription: String {
      "Schema.Attribute(name: \(name), options: \(options), valueType: \(valueType))"
    }

    public static func == (lhs: Attribute, rhs: Attribute) -> Bool {
      lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.options == rhs.options
        && lhs.typeName == rhs.typeName && lhs.isOptional == rhs.isOptional
        && lhs.hashModifier == rhs.hashModifier
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(originalName)
    }
  }
}
