extension Schema {
  /// The description of a model class in a schema.
  public final class Entity: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
    // Unchecked: entities are built once and only read afterwards.
    /// The name of the class.
    public var name: String
    /// The entity of the superclass; nil when that isn't a model.
    public var superentity: Entity?
    /// The name of the superclass's entity.
    public var superentityName: String?
    /// The entities of the direct subclasses.
    public var subentities: Set<Entity> = []
    /// The properties that the class itself declares.
    public var storedProperties: [any SchemaProperty]
    /// The properties of the superclasses.
    public var inheritedProperties: [any SchemaProperty] = []
    /// The names of the properties whose values together are unique, for each constraint.
    public var uniquenessConstraints: [[String]] = []
    /// The names of the properties of each index.
    public var indices: [[String]] = []

    /// Creates an entity without properties.
    public init(_ name: String) {
      self.name = name
      storedProperties = []
    }

    /// Creates an entity with properties.
    public init(_ name: String, properties: any SchemaProperty...) {
      self.name = name
      storedProperties = properties
      adoptUniqueAttributes()
    }

    /// Creates an entity with subentities and properties.
    public init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
      self.name = name
      self.subentities = Set(subentities)
      storedProperties = properties
      adoptUniqueAttributes()
      for subentity in subentities {
        subentity.superentity = self
        subentity.superentityName = name
      }
    }

    /// The inherited properties, followed by the entity's own.
    public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

    private func adoptUniqueAttributes() {
      for property in storedProperties where property.isUnique && property.isAttribute {
        uniquenessConstraints.append([property.name])
      }
    }

    enum CodingKeys: CodingKey {
      case name, superentityName, subentities, attributes, composites, relationships
      case uniquenessConstraints, indices
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      superentityName = try container.decodeIfPresent(String.self, forKey: .superentityName)
      subentities = try container.decode(Set<Entity>.self, forKey: .subentities)
      storedProperties =
        try container.decode([Attribute].self, forKey: .attributes) as [any SchemaProperty]
        + container.decode([CompositeAttribute].self, forKey: .composites)
        + container.decode([Relationship].self, forKey: .relationships)
      uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
      indices = try container.decode([[String]].self, forKey: .indices)
      for subentity in subentities { subentity.superentity = self }
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encodeIfPresent(superentityName, forKey: .superentityName)
      try container.encode(subentities.sorted { $0.name < $1.name }, forKey: .subentities)
      let attributes = storedProperties.compactMap { $0 as? Attribute }
      try container.encode(
        attributes.filter { !($0 is CompositeAttribute) }, forKey: .attributes)
      try container.encode(attributes.compactMap { $0 as? CompositeAttribute }, forKey: .composites)
      try container.encode(
        storedProperties.compactMap { $0 as? Relationship }, forKey: .relationships)
      try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
      try container.encode(indices, forKey: .indices)
    }

    public var debugDescription: String {
      "Schema.Entity(name: \(name), properties: \(properties))"
    }

    public static func == (lhs: Entity, rhs: Entity) -> Bool {
      lhs.name == rhs.name && lhs.attributes == rhs.attributes
        && lhs.relationships == rhs.relationships
        && lhs.superentityName == rhs.superentityName
        && Set(lhs.uniquenessConstraints) == Set(rhs.uniquenessConstraints)
        && Set(lhs.indices) == Set(rhs.indices)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}
