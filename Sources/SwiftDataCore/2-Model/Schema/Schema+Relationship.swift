extension Schema {
  /// A link from one entity to another.
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable
  {
    // Unchecked: schemas are built once and only read afterwards.

    /// The effect on the destinations when the owner is deleted.
    public enum DeleteRule: String, Codable, Equatable, Hashable, Sendable {
      /// No effect: the other side keeps referring to the deleted model.
      case noAction
      /// The other side's reference becomes nil.
      case nullify
      /// The destinations are deleted too.
      case cascade
      /// The deletion fails while there are destinations.
      case deny
    }

    /// An option of a relationship.
    public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
      let name: String
      /// Assigns every destination to one owner only.
      public static var unique: Option { Option(name: "unique") }
      public var debugDescription: String { name }
    }

    public var name = ""
    public var originalName: String
    /// The key path of the property.
    public var keypath: AnyKeyPath?
    /// The options of the relationship.
    public var options: [Option]
    public var valueType: any Any.Type = Any.self {
      didSet { writtenTypeName = nil }
    }
    /// The type's name in the file that the relationship was decoded from: this program may not have the type.
    private var writtenTypeName: String?
    /// The name of the entity that the relationship leads to.
    public var destination = ""
    /// The effect of a deletion on the related models.
    public var deleteRule: DeleteRule
    /// The name of the property on the other side; nil when there is none.
    public var inverseName: String?
    /// The key path of the property on the other side.
    public var inverseKeyPath: AnyKeyPath?
    /// The smallest valid number of related models; nil or 0 for no limit.
    public var minimumModelCount: Int?
    /// The largest valid number of related models; nil or 0 for no limit.
    public var maximumModelCount: Int?
    /// A text that distinguishes versions of the relationship that look alike.
    public var hashModifier: String?
    private var isToOne: Bool?
    /// Whether the source says `inverse: nil`, so that no inverse is inferred.
    package private(set) var isOneWay = false
    private var isOptionalOverride: Bool?

    /// Creates a relationship; see the macro `@Relationship` for the parameters.
    public init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      self.options = options
      self.deleteRule = deleteRule
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.originalName = originalName ?? ""
      inverseKeyPath = inverse
      self.hashModifier = hashModifier
    }

    /// Rules out an inverse and returns the relationship: the expansion of `@Relationship(inverse:
    /// nil)`.
    public func _oneWay() -> Relationship {
      isOneWay = true
      return self
    }

    enum CodingKeys: CodingKey {
      case name, originalName, options, valueType, destination, deleteRule, inverseName
      case minimumModelCount, maximumModelCount, hashModifier, isToOne, isOptional
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      originalName = try container.decode(String.self, forKey: .originalName)
      options = try container.decode([Option].self, forKey: .options)
      let typeName = try container.decode(String.self, forKey: .valueType)
      valueType = SchemaTypeName.type(named: typeName)
      writtenTypeName = typeName
      destination = try container.decode(String.self, forKey: .destination)
      deleteRule = try container.decode(DeleteRule.self, forKey: .deleteRule)
      inverseName = try container.decodeIfPresent(String.self, forKey: .inverseName)
      minimumModelCount = try container.decodeIfPresent(Int.self, forKey: .minimumModelCount)
      maximumModelCount = try container.decodeIfPresent(Int.self, forKey: .maximumModelCount)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
      isToOne = try container.decode(Bool.self, forKey: .isToOne)
      isOptionalOverride = try container.decode(Bool.self, forKey: .isOptional)
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(originalName, forKey: .originalName)
      try container.encode(options, forKey: .options)
      try container.encode(
        writtenTypeName ?? SchemaTypeName.name(of: valueType), forKey: .valueType)
      try container.encode(destination, forKey: .destination)
      try container.encode(deleteRule, forKey: .deleteRule)
      try container.encodeIfPresent(inverseName, forKey: .inverseName)
      try container.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
      try container.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
      try container.encode(isToOneRelationship, forKey: .isToOne)
      try container.encode(isOptional, forKey: .isOptional)
    }

    /// Whether the relationship leads to at most one model.
    public var isToOneRelationship: Bool {
      isToOne ?? (PropertyShape.unwrapped(valueType).type is any PersistentModel.Type)
    }
    public var isOptional: Bool { isOptionalOverride ?? (valueType is any OptionalType.Type) }
    public var isUnique: Bool { options.contains(.unique) }
    public var isAttribute: Bool { false }
    public var isRelationship: Bool { true }
    public var isTransient: Bool { false }

    public var debugDescription: String {
      "Schema.Relationship(name: \(name), destination: \(destination), deleteRule: \(deleteRule))"
    }

    public static func == (lhs: Relationship, rhs: Relationship) -> Bool {
      lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.options == rhs.options
        && lhs.destination == rhs.destination && lhs.deleteRule == rhs.deleteRule
        && lhs.inverseName == rhs.inverseName && lhs.minimumModelCount == rhs.minimumModelCount
        && lhs.maximumModelCount == rhs.maximumModelCount && lhs.hashModifier == rhs.hashModifier
        && lhs.isToOneRelationship == rhs.isToOneRelationship && lhs.isOptional == rhs.isOptional
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(destination)
    }
  }
}
