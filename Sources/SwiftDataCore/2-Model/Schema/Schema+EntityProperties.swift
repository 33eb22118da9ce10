/// The views of an entity's properties by name and by kind.
///
/// ``storedProperties`` and ``inheritedProperties`` are the storage; every member here reads and writes those two, so a
/// change through one member is visible in all others.
extension Schema.Entity {
  /// The entity's own properties by name. Setting it replaces all of them: existing ones keep their order, new ones
  /// follow in the order of their names. A property that is set under a name other than its own takes that name.
  public var storedPropertiesByName: [String: any SchemaProperty] {
    get { Self.byName(storedProperties) }
    set { storedProperties = Self.list(newValue, inOrderOf: storedProperties) }
  }

  /// The properties inherited from ``superentity``, by name; setting works as in ``storedPropertiesByName``.
  public var inheritedPropertiesByName: [String: any SchemaProperty] {
    get { Self.byName(inheritedProperties) }
    set { inheritedProperties = Self.list(newValue, inOrderOf: inheritedProperties) }
  }

  /// All attributes, including inherited ones. Setting it leaves exactly these attributes: a new one becomes the
  /// entity's own, a missing one is removed, from the inherited properties too.
  public var attributes: Set<Schema.Attribute> {
    get { Set(properties.compactMap { $0 as? Schema.Attribute }) }
    set { replace(Schema.Attribute.self, with: newValue) }
  }

  /// All attributes by name; setting works as in ``attributes``.
  public var attributesByName: [String: Schema.Attribute] {
    get { Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
    set { attributes = Set(newValue.map { Self.named($0.key, $0.value) }) }
  }

  /// All relationships, including inherited ones; setting works as in ``attributes``.
  public var relationships: Set<Schema.Relationship> {
    get { Set(properties.compactMap { $0 as? Schema.Relationship }) }
    set { replace(Schema.Relationship.self, with: newValue) }
  }

  /// All relationships by name; setting works as in ``attributes``.
  public var relationshipsByName: [String: Schema.Relationship] {
    get {
      Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    set { relationships = Set(newValue.map { Self.named($0.key, $0.value) }) }
  }

  private static func byName(
    _ properties: [any SchemaProperty]
  ) -> [String: any SchemaProperty] {
    var result: [String: any SchemaProperty] = [:]
    for property in properties { result[property.name] = property }
    return result
  }

  private static func list(
    _ properties: [String: any SchemaProperty], inOrderOf old: [any SchemaProperty]
  ) -> [any SchemaProperty] {
    var properties = properties
    let kept = old.compactMap { property in
      properties.removeValue(forKey: property.name).map { named(property.name, $0) }
    }
    return kept + properties.sorted { $0.key < $1.key }.map { named($0.key, $0.value) }
  }

  private static func named(
    _ name: String, _ property: any SchemaProperty
  ) -> any SchemaProperty {
    var property = property
    if property.name != name { property.name = name }
    return property
  }

  private static func named<Property: SchemaProperty>(
    _ name: String, _ property: Property
  ) -> Property {
    var property = property
    if property.name != name { property.name = name }
    return property
  }

  /// Replaces all properties of their kind with `wanted`.
  private func replace<Property: SchemaProperty>(
    _ kind: Property.Type, with wanted: Set<Property>
  ) {
    var missing = wanted
    func keep(_ property: any SchemaProperty) -> Bool {
      guard let known = property as? Property else { return true }
      return missing.remove(known) != nil
    }
    inheritedProperties = inheritedProperties.filter(keep)
    storedProperties = storedProperties.filter(keep)
    storedProperties += missing.sorted { $0.name < $1.name }
  }
}
