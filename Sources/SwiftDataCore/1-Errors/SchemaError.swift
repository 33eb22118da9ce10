/// The error of a model class that can't be persisted as it is written.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error; an open set.
  public struct Code: Hashable, Sendable {
    let name: String
    /// The property's type is neither a basic type nor `Codable` nor a model.
    public static let unsupportedType = Code(name: "unsupportedType")
    /// `inverse:` names a property that isn't a relationship leading back.
    public static let unsuitableInverse = Code(name: "unsuitableInverse")
    /// Two relationships name the same inverse.
    public static let inverseClash = Code(name: "inverseClash")
    /// `.ordered` is on a to-one relationship, which has nothing to order.
    public static let orderedToOne = Code(name: "orderedToOne")
    /// There is no transformer with the name that `@Attribute(.transformable(by:))` gives.
    public static let missingTransformer = Code(name: "missingTransformer")
    /// A transformer made no value, or one of the wrong type.
    public static let failedTransformer = Code(name: "failedTransformer")
    /// The class's code writes columns other than those that its schema describes.
    public static let misalignedRow = Code(name: "misalignedRow")
    /// `#Unique` or `#Index` names something that isn't a persisted property.
    public static let unknownProperty = Code(name: "unknownProperty")
    /// Two properties would share a column name; SQLite's names don't distinguish upper and lower
    /// case.
    public static let columnClash = Code(name: "columnClash")
    /// Two model classes of the schema have the same entity name.
    public static let entityClash = Code(name: "entityClash")
    /// A class or a property has a name that the store itself needs.
    public static let reservedName = Code(name: "reservedName")
    /// The names in the file for two parts of the schema would be the same.
    public static let nameClash = Code(name: "nameClash")
  }

  /// The kind of error.
  public let code: Code
  /// The entity concerned.
  public let entity: String
  /// The property concerned; empty when there is none in particular.
  public let property: String
  public let description: String

  static func unsupportedType(entity: String, property: String, type: String) -> SchemaError {
    SchemaError(
      code: .unsupportedType, entity: entity, property: property,
      description: "\(entity).\(property) has the type \(type), which can't be persisted."
        + " Make the type Codable, or mark the property @Transient.")
  }

  static func nestedOptional(entity: String, property: String, type: String) -> SchemaError {
    SchemaError(
      code: .unsupportedType, entity: entity, property: property,
      description:
        "\(entity).\(property) has the type \(type), an optional in an optional: what is stored"
        + " can't tell nil from a value that is nil. Use one optional, or an enumeration.")
  }

  static func unsuitableInverse(entity: String, property: String, inverse: String) -> SchemaError {
    SchemaError(
      code: .unsuitableInverse, entity: entity, property: property,
      description: "\(entity).\(property) names \(inverse) as its inverse, which isn't a"
        + " relationship of its destination that leads back to \(entity). Correct the key path.")
  }

  static func inverseClash(entity: String, property: String, inverse: String) -> SchemaError {
    SchemaError(
      code: .inverseClash, entity: entity, property: property,
      description: "\(entity).\(property) names \(inverse) as its inverse, but one of the two is"
        + " already the inverse of another relationship. A relationship has one inverse.")
  }

  static func orderedToOne(entity: String, property: String) -> SchemaError {
    SchemaError(
      code: .orderedToOne, entity: entity, property: property,
      description:
        "\(entity).\(property) is a relationship to one and marked .ordered, which is for"
        + " relationships to many. Remove the option, or write it at the other end.")
  }

  static func missingTransformer(entity: String, property: String, name: String) -> SchemaError {
    SchemaError(
      code: .missingTransformer, entity: entity, property: property,
      description:
        "\(entity).\(property) is kept by the value transformer \(name), which isn't known."
        + " Register it with ValueTransformer.setValueTransformer(_:forName:) before it is needed.")
  }

  static func failedTransformer(entity: String, property: String, what: String) -> SchemaError {
    SchemaError(
      code: .failedTransformer, entity: entity, property: property,
      description: "The value transformer of \(entity).\(property) \(what).")
  }

  package static func misalignedRow(entity: String, property: String = "") -> SchemaError {
    let name = property.isEmpty ? entity : "\(entity).\(property)"
    return SchemaError(
      code: .misalignedRow, entity: entity, property: property,
      description: "The code of \(name) writes other columns than its schema describes."
        + " Write the options of @Attribute in place (.ephemeral, .codable, .transformable),"
        + " where @Model can see them.")
  }

  static func unknownProperty(entity: String, property: String) -> SchemaError {
    SchemaError(
      code: .unknownProperty, entity: entity, property: property,
      description: "A constraint or an index of \(entity) names \(property),"
        + " which is not a persisted property of it.")
  }

  /// - Parameters:
  ///   - path: The property, and the names behind it.
  ///   - reason: The reason why the path has no column, and the remedy, without a full stop.
  static func noColumn(
    entity: String, property: String, path: String, reason: String
  ) -> SchemaError {
    SchemaError(
      code: .unknownProperty, entity: entity, property: path,
      description: "A constraint or an index of \(entity) names \(path), which has no column:"
        + " \(property) \(reason).")
  }

  static func columnClash(entity: String, columns: [String]) -> SchemaError {
    SchemaError(
      code: .columnClash, entity: entity, property: "",
      description: "Two properties of \(entity) would share a column: \(columns.sorted())."
        + " Rename one; upper and lower case make no difference to SQLite.")
  }

  package static func reservedName(
    entity: String, property: String = "", reason: String
  ) -> SchemaError {
    SchemaError(
      code: .reservedName, entity: entity, property: property,
      description: (property.isEmpty ? "The class \(entity)" : "The property \(entity).\(property)")
        + " can't have this name: \(reason). Rename it.")
  }

  package static func nameClash(name: String, first: String, second: String) -> SchemaError {
    SchemaError(
      code: .nameClash, entity: first, property: "",
      description: "The tables or indexes of \(first) and of \(second) would have the same name in"
        + " the file: \(name). Rename the class or the property.")
  }

  package static func orderClash(entity: String, column: String) -> SchemaError {
    SchemaError(
      code: .columnClash, entity: entity, property: "",
      description: "Two columns of the table of \(entity) would be called \(column). Rename the"
        + " property; upper and lower case make no difference to SQLite.")
  }

  static func entityClash(entity: String) -> SchemaError {
    SchemaError(
      code: .entityClash, entity: entity, property: "",
      description: "Two model classes of the schema are called \(entity). Rename one.")
  }
}
