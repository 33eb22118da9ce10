import Foundation
import Synchronization

/// One column of an entity's table.
package struct ColumnPlan: Sendable {
  /// The name of the column with the row ID, which no property has.
  package static let rowIDName = "_id"

  /// The name itself, or another one in place of that of the column with the row ID. A database may compare names
  /// without case.
  static func free(_ name: String) -> String {
    name.lowercased() == rowIDName ? "\(name)_" : name
  }

  package let name: String
  package let kind: ColumnKind
  /// Whether the column may hold NULL.
  package let isOptional: Bool
  /// The position of the property that the column belongs to.
  package let property: Int
  /// The member of a composite that the column holds, outermost name first; empty for a whole property.
  package let members: [String]
}

/// One persisted property of a model: its shape and its columns.
package struct PropertyPlan: @unchecked Sendable {
  // Unchecked: `AnyKeyPath` lacks the conformance, though key paths made by the macro capture nothing.
  package let name: String
  package let originalName: String
  package let keyPath: AnyKeyPath
  package let valueType: any Any.Type
  package let shape: PropertyShape
  package let columns: Range<Int>
  package let isOptional: Bool
  package let isUnique: Bool
  package let defaultValue: Any?
  /// The plan of the relationship; nil for an attribute.
  package let relationship: RelationshipPlan?
  /// The attribute's storage options beyond its type's usual column.
  package var storage = AttributeStorage()
  /// The modifier in `@Attribute` or `@Relationship` that distinguishes two forms of the property.
  package var hashModifier: String?
}

/// The mapping of one model class to rows: made once per schema, shared by contexts and stores. Public for the
/// macros.
@_documentation(visibility: internal)
public final class EntityPlan: Sendable {
  package let name: String
  package let type: any PersistentModel.Type
  package let properties: [PropertyPlan]
  /// The columns of each property, separate from the properties: reading a property from its array copies all of it.
  package let columnRanges: [Range<Int>]
  package let columns: [ColumnPlan]
  /// The column positions of each uniqueness constraint. The first constraint decides an upsert.
  package let uniqueness: [[Int]]
  /// The text columns of uniqueness constraints, in ascending order; see ``_RowWriter/composeUniqueTexts(at:)``.
  package let uniqueTexts: [Int]
  /// The column positions of each index that isn't a constraint.
  package let indices: [[Int]]
  /// The column positions of each R*Tree index over numbers.
  package let spatialIndices: [[Int]]
  /// The positions of the properties that are relationships.
  package let relationships: [Int]
  /// The classes that share the table, when there are subclasses; nil for a class without inheritance.
  package let family: EntityFamily?
  /// The name of the table: the topmost superclass's name.
  package var table: String { family?.table ?? name }
  /// The number of properties, at the beginning, that come from superclasses.
  package let inheritedCount: Int
  /// The positions of the relationships that the class itself declares.
  package var ownRelationships: [Int] { relationships.filter { $0 >= inheritedCount } }
  /// The byte count of the last row that was kept for comparison: an estimate for the next one.
  let byteCount = Atomic<Int>(0)
  /// The values of one-byte types that were found to come back from their raw values.
  let verifiedRawValues: VerifiedRawValues
  private let propertiesByKeyPath: [KeyPathKey: Int]
  package let propertiesByName: [String: Int]

  package init(
    name: String, type: any PersistentModel.Type, properties: [PropertyPlan],
    columns: [ColumnPlan], uniqueness: [[Int]], indices: [[Int]],
    spatialIndices: [[Int]] = [], family: EntityFamily? = nil
  ) {
    self.family = family
    inheritedCount = ModelInheritance.inheritedCount(of: type)
    self.name = name
    self.type = type
    self.properties = properties
    columnRanges = properties.map(\.columns)
    self.columns = columns
    self.uniqueness = uniqueness
    uniqueTexts = Set(uniqueness.joined()).filter { columns[$0].kind == .text }.sorted()
    verifiedRawValues = VerifiedRawValues(properties: properties.count)
    self.indices = indices
    self.spatialIndices = spatialIndices
    relationships = properties.indices.filter { properties[$0].relationship != nil }
    var byKeyPath: [KeyPathKey: Int] = [:]
    var byName: [String: Int] = [:]
    for (index, property) in properties.enumerated() {
      byKeyPath[KeyPathKey(keyPath: property.keyPath)] = index
      byName[property.name] = index
    }
    propertiesByKeyPath = byKeyPath
    propertiesByName = byName
  }

  /// The position of the property that `keyPath` names; nil when it doesn't name a whole property.
  package func property(for keyPath: AnyKeyPath) -> Int? {
    if let index = propertiesByKeyPath[KeyPathKey(keyPath: keyPath)] { return index }
    guard inheritedCount > 0 else { return nil }
    // `\Dog.name` isn't equal to `\Animal.name`, though both lead to the same property.
    return properties.indices.prefix(inheritedCount).first {
      KeyPathIdentity.isSame(keyPath, properties[$0].keyPath)
    }
  }

  /// Whether both classes have the property at `index` from the same declaration.
  package func sharesProperty(_ index: Int, with other: EntityPlan) -> Bool {
    if self === other { return true }
    guard other.properties.indices.contains(index) else { return false }
    return ModelInheritance.declaringClass(of: index, in: type)
      == ModelInheritance.declaringClass(of: index, in: other.type)
  }

  /// The column that holds `members` of the property at `property` (no members: the whole value).
  package func column(property: Int, members: [String]) -> Int? {
    properties[property].columns.first {
      columns[$0].members == members && columns[$0].kind != .presence
    }
  }

  private struct KeyPathKey: Hashable, @unchecked Sendable {
    // Unchecked for the reason given at `PropertyPlan`.
    let keyPath: AnyKeyPath
  }
}
