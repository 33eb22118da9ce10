import Foundation

/// The description of an app's model classes: entities with attributes and relationships.
public final class Schema: Codable, Hashable, CustomDebugStringConvertible, Sendable {
  /// The version of the file format that ``save(to:)`` writes.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The version of the encoded form.
  public let encodingVersion: Version
  /// The version of the schema.
  public let version: Version
  /// The entities.
  public let entities: [Entity]
  /// The entities by their names.
  public let entitiesByName: [String: Entity]
  /// The model classes; empty for a schema made from entities or read from a file.
  package let types: [any PersistentModel.Type]

  private init(entities: [Entity], types: [any PersistentModel.Type], version: Version) {
    encodingVersion = Self.schemaEncodingVersion
    self.version = version
    self.entities = entities
    self.types = types
    entitiesByName = Dictionary(
      entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Creates a schema without entities.
  public convenience init() { self.init(entities: [], types: [], version: Version(1, 0, 0)) }

  /// Creates a schema of entities that are described by hand.
  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    self.init(entities: entities, types: [], version: version)
  }

  /// Makes a schema of `types` and all model classes that they reach through relationships and inheritance.
  public convenience init(
    _ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)
  ) {
    let reachable = Self.reachable(from: types)
    let entities = reachable.map { Entity(describing: $0) }
    for (entity, type) in zip(entities, reachable) {
      guard let superclass = ModelInheritance.superclass(of: type),
        let position = reachable.firstIndex(where: { $0 == superclass })
      else { continue }
      entity.superentity = entities[position]
      entity.superentityName = entities[position].name
      entities[position].subentities.insert(entity)
    }
    let resolution = RelationshipResolution(reachable)
    for entity in entities {
      for relationship in entity.relationships {
        let plan = resolution.plans[entity.name]?[relationship.name]
        if let inverse = plan?.inverseName { relationship.inverseName = inverse }
      }
    }
    self.init(entities: entities, types: reachable, version: version)
  }

  /// Creates a schema of model classes.
  public convenience init(
    _ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// Creates the schema of a version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  private static func reachable(
    from roots: [any PersistentModel.Type]
  ) -> [any PersistentModel.Type] {
    var found: [any PersistentModel.Type] = []
    var seen: Set<ObjectIdentifier> = []
    var waiting = roots[...]
    while let type = waiting.popFirst() {
      guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
      found.append(type)
      if let superclass = ModelInheritance.superclass(of: type) { waiting.append(superclass) }
      for property in type.schemaMetadata {
        let valueType = Swift.type(of: property.keypath).valueType
        if let destination = Self.destination(of: valueType) { waiting.append(destination) }
      }
    }
    return found
  }

  /// The model class that a property of `type` leads to: the type itself, or that in an optional or a collection.
  package static func destination(of type: any Any.Type) -> (any PersistentModel.Type)? {
    guard PlainTypes.known(type) == nil else { return nil }
    let (wrapped, _) = PropertyShape.unwrapped(type)
    if let model = wrapped as? any PersistentModel.Type { return model }
    if let many = wrapped as? any RelationshipCollection.Type { return element(of: many) }
    return nil
  }

  private static func element<Many: RelationshipCollection>(
    of type: Many.Type
  ) -> any PersistentModel.Type {
    Many.PersistentElement.self
  }

  /// The entity of `type`; nil when the schema doesn't have it.
  public func entity<Model: PersistentModel>(for type: Model.Type) -> Entity? {
    entitiesByName[Self.entityName(for: type)]
  }

  /// The name of the entity that models of `type` belong to: the class's name without the types that it is nested in.
  public static func entityName<Model: PersistentModel>(for type: Model.Type) -> String {
    "\(type)"
  }

  enum CodingKeys: CodingKey { case encodingVersion, version, entities }

  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      entities: try container.decode([Entity].self, forKey: .entities), types: [],
      version: try container.decode(Version.self, forKey: .version))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(encodingVersion, forKey: .encodingVersion)
    try container.encode(version, forKey: .version)
    try container.encode(entities, forKey: .entities)
  }

  /// Writes the schema as JSON.
  public func save(to toURL: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: toURL, options: .atomic)
  }

  /// Reads a schema that ``save(to:)`` wrote.
  public static func load(from fromURL: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: fromURL))
  }

  public var debugDescription: String { "Schema(version: \(version), entities: \(entities))" }

  public static func == (lhs: Schema, rhs: Schema) -> Bool {
    lhs.version == rhs.version && Set(lhs.entities) == Set(rhs.entities)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(Set(entities))
  }
}
