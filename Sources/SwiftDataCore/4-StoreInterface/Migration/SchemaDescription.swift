/// The description that a store keeps of the schema it was made with: enough to read its rows without the classes of
/// that time.
package struct SchemaDescription: Codable, Equatable, Sendable {
  /// The version that the classes were declared under; nil when the file doesn't contain it.
  package var version: Schema.Version?
  package var entities: [String: EntityDescription]

  package init(version: Schema.Version?, entities: [String: EntityDescription]) {
    self.version = version
    self.entities = entities
  }

  package subscript(entity: String) -> EntityDescription? { entities[entity] }

  /// Returns the entities whose rows are stored in a table, in the order of their names.
  package func entities(in table: String) -> [EntityDescription] {
    entities.values.filter { $0.table == table }.sorted { $0.name < $1.name }
  }

  /// The tables of the entities, each of them once.
  package var tables: [String] { Set(entities.values.map(\.table)).sorted() }
}

/// One entity as it is stored in a file.
package struct EntityDescription: Codable, Equatable, Sendable {
  package let name: String
  /// The table: the topmost superclass's name.
  package var table: String
  package var superentity: String?
  /// Whether a column of the table names each row's entity.
  package var sharesTable: Bool
  /// Inherited properties, then the entity's own.
  package var properties: [PropertyDescription]
  package var inheritedCount: Int
  /// The columns of each constraint.
  package var uniqueness: [[String]]
  package var indices: [[String]]
  package var spatialIndices: [[String]]
  /// The database objects that were created in the file for the entity.
  package var objects: [DatabaseObject]
  /// The virtual tables for searching.
  package var searchTables: [String]

  package init(
    name: String, table: String, superentity: String?, sharesTable: Bool,
    properties: [PropertyDescription], inheritedCount: Int
  ) {
    self.name = name
    self.table = table
    self.superentity = superentity
    self.sharesTable = sharesTable
    self.properties = properties
    self.inheritedCount = inheritedCount
    uniqueness = []
    indices = []
    spatialIndices = []
    objects = []
    searchTables = []
  }

  package var columns: [ColumnDescription] { properties.flatMap(\.columns) }
  package var ownProperties: ArraySlice<PropertyDescription> {
    // The number is stored in the file, which other programs can write.
    properties.dropFirst(max(0, inheritedCount))
  }

  package func property(named name: String) -> PropertyDescription? {
    properties.first { $0.name == name }
  }
}

/// One property of an entity as it is stored in a file.
package struct PropertyDescription: Codable, Equatable, Sendable {
  package let name: String
  package var originalName: String
  /// The Swift type without its optional.
  package var type: String
  package var isOptional: Bool
  /// The columns. A relationship has the key and, when the other end's list is ordered, the position in that list.
  package var columns: [ColumnDescription]
  package var relationship: RelationshipDescription?
  package var storage: AttributeStorage
  package var hashModifier: String?

  package init(
    name: String, originalName: String, type: String, isOptional: Bool,
    columns: [ColumnDescription], relationship: RelationshipDescription? = nil,
    storage: AttributeStorage = AttributeStorage(), hashModifier: String? = nil
  ) {
    self.name = name
    self.originalName = originalName
    self.type = type
    self.isOptional = isOptional
    self.columns = columns
    self.relationship = relationship
    self.storage = storage
    self.hashModifier = hashModifier
  }
}

/// One column of a table.
package struct ColumnDescription: Codable, Equatable, Sendable {
  package let name: String
  package var kind: ColumnKind
  /// The Swift type of the value, without its optional.
  package var type: String
  package var isOptional: Bool
  /// The path of the member of a composite that the column holds, outermost name first.
  package var members: [String]
  /// Whether a member of an optional structure has a value whenever the structure has one; nil for other columns, and
  /// in descriptions by earlier versions of the library.
  package var isRequiredMember: Bool?
  /// The column's definition in SQL, after its name.
  package var definition: String
  /// The condition that the column adds at the end of the table's definition.
  package var check: String?

  package init(
    name: String, kind: ColumnKind, type: String, isOptional: Bool, members: [String],
    isRequiredMember: Bool? = nil, definition: String, check: String?
  ) {
    self.name = name
    self.kind = kind
    self.type = type
    self.isOptional = isOptional
    self.members = members
    self.isRequiredMember = isRequiredMember
    self.definition = definition
    self.check = check
  }
}

/// The storage and the declaration of a relationship.
package struct RelationshipDescription: Codable, Equatable, Sendable {
  package enum Place: String, Codable, Sendable {
    /// The property has a column with the other row's ID.
    case column
    /// The other end's property has the column.
    case otherEnd
    /// A table of pairs.
    case pairs
  }

  package var destination: String
  package var isToMany: Bool
  package var deleteRule: Schema.Relationship.DeleteRule
  package var inverse: String?
  package var place: Place
  /// The table of pairs, in which ``isPairsOwner`` selects the column with this end's row ID.
  package var pairs: String?
  package var isPairsOwner: Bool
  /// The columns of the table of pairs that order the list at this end, and the one at the other end.
  package var orderColumn: String?
  package var inverseOrderColumn: String?

  /// Creates a to-one relationship of which only a key column is known.
  package init(toOne destination: String) {
    self.destination = destination
    isToMany = false
    deleteRule = .nullify
    place = .column
    isPairsOwner = false
  }

  package init(_ plan: RelationshipPlan) {
    destination = plan.destinationEntity
    isToMany = plan.isToMany
    deleteRule = plan.deleteRule
    inverse = plan.inverseName
    isPairsOwner = false
    switch plan.storage {
    case .column: place = .column
    case .inverseColumn: place = .otherEnd
    case .joinTable(let join):
      place = .pairs
      pairs = join.name
      isPairsOwner = join.ownerColumn == "owner"
      orderColumn = join.ownerOrderColumn
      inverseOrderColumn = join.destinationOrderColumn
    }
  }
}

/// A table, an index, a trigger, a view or a foreign key, and the statement that creates it.
package struct DatabaseObject: Codable, Equatable, Sendable {
  package enum Kind: String, Codable, Sendable {
    case table, index, trigger, view, reference
  }

  package let kind: Kind
  package let name: String
  package let statement: String

  package init(_ kind: Kind, _ name: String, _ statement: String) {
    self.kind = kind
    self.name = name
    self.statement = statement
  }
}
