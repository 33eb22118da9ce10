/// A property of an entity: an attribute, a relationship, a constraint or an index.
public protocol SchemaProperty: Codable, Hashable {
  /// The property's name in the class.
  var name: String { get set }
  /// The property's name in earlier versions of the schema; ``name`` when it was never renamed.
  var originalName: String { get set }
  /// The Swift type of the property's value.
  var valueType: any Any.Type { get set }
  /// Whether the property is an attribute.
  var isAttribute: Bool { get }
  /// Whether the property is a relationship.
  var isRelationship: Bool { get }
  /// Whether the property isn't stored.
  var isTransient: Bool { get }
  /// Whether the value can be nil.
  var isOptional: Bool { get }
  /// Whether no two models share a value.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  /// Whether the property is an attribute.
  public var isAttribute: Bool { self is Schema.Attribute }
  /// Whether the property is a relationship.
  public var isRelationship: Bool { self is Schema.Relationship }
  /// Whether the property isn't stored.
  public var isTransient: Bool { false }
  /// Whether the value can be nil.
  public var isOptional: Bool { valueType is any OptionalType.Type }
}
