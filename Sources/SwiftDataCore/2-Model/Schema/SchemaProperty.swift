/// A property of an entity: an attribute, a relationship, a constraint or an index.
public protocol SchemaProperty: Codable, Hashable {
  /// The property's name in the class.
  var name: String { get set }
  /// The property's name in earlier versions of the schema; ``name`` when it was never renamed.
  var originalName: String { get set }
  /// The Swift type of the property's value.
  var valueType: any Any.Type { get set }
  var isAttribute: Bool { get }
  var isRelationship: Bool { get }
  var isTransient: Bool { get }
  var isOptional: Bool { get }
  var isUnique: Bool { get }
}

extension SchemaProperty {
  public var isAttribute: Bool { self is Schema.Attribute }
  public var isRelationship: Bool { self is Schema.Relationship }
  public var isTransient: Bool { false }
  public var isOptional: Bool { valueType is any OptionalType.Type }
}
