import SwiftDataCore
import SwiftDataSQL

/// The schema of a file without a stored description, read from its tables.
///
/// Columns don't contain everything: not the Swift type of an integer, nor which columns belong to one structure. That
/// is taken from a schema that may be the file's, where the columns agree.
struct FileSchema {
  let connection: Connection

  /// Describes the file by means of a schema.
  func description(by candidate: SchemaDescription) throws -> SchemaDescription {
    var entities: [String: EntityDescription] = [:]
    for (name, entity) in candidate.entities {
      if let found = try describe(entity, in: candidate) { entities[name] = found }
    }
    return SchemaDescription(version: nil, entities: entities)
  }

  private struct Column {
    let name: String
    let type: String
    let isRequired: Bool
  }

  private func columns(of table: String) throws -> [Column] {
    let statement = try connection.statement(
      "SELECT name, type, \"notnull\" FROM pragma_table_info(?) ORDER BY cid")
    defer { statement.reset() }
    try statement.bind([.text(table)])
    var columns: [Column] = []
    while try statement.step() {
      columns.append(
        Column(
          name: statement.string(at: 0), type: statement.string(at: 1),
          isRequired: statement.rowID(at: 2) != 0))
    }
    return columns
  }

  private func describe(
    _ entity: EntityDescription, in candidate: SchemaDescription
  ) throws -> EntityDescription? {
    let columns = try columns(of: entity.table)
    guard !columns.isEmpty else { return nil }
    let sharesTable = columns.contains { $0.name == EntityFamily.discriminator }
    let byName = Dictionary(columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var properties: [PropertyDescription] = []
    for property in entity.properties {
      if let found = try describe(property, byName) { properties.append(found) }
    }
    let known = Set(candidate.entities(in: entity.table).flatMap(\.columns).map(\.name))
    let surplus = columns.filter {
      !known.contains($0.name) && $0.name != SQLIdentifier.rowIDName
        && $0.name != EntityFamily.discriminator
    }
    properties += try surplus.map { try describe($0, of: entity.table) }
    var result = EntityDescription(
      name: entity.name, table: entity.table,
      superentity: sharesTable ? entity.superentity : nil, sharesTable: sharesTable,
      properties: properties, inheritedCount: sharesTable ? entity.inheritedCount : 0)
    let present = Set(columns.map(\.name))
    result.uniqueness = entity.uniqueness.filter { Set($0).isSubset(of: present) }
    result.indices = entity.indices.filter { Set($0).isSubset(of: present) }
    result.spatialIndices = entity.spatialIndices.filter { Set($0).isSubset(of: present) }
    result.searchTables = try entity.searchTables.filter { try !self.columns(of: $0).isEmpty }
    result.objects = try objects(of: entity)
    return result
  }

  private func describe(
    _ property: PropertyDescription, _ stored: [String: Column]
  ) throws -> PropertyDescription? {
    if let relationship = property.relationship, property.columns.isEmpty {
      guard let pairs = relationship.pairs else { return property }
      let present = Set(try columns(of: pairs).map(\.name))
      if present.isEmpty { return nil }
      var result = property
      func known(_ column: String?) -> String? {
        column.flatMap { present.contains($0) ? $0 : nil }
      }
      result.relationship?.orderColumn = known(relationship.orderColumn)
      result.relationship?.inverseOrderColumn = known(relationship.inverseOrderColumn)
      return result
    }
    var result = property
    result.columns = property.columns.compactMap { column in
      guard let found = stored[column.name] else { return nil }
      var column = column
      column.isRequiredMember = nil
      let isSame =
        column.definition.hasPrefix(found.type)
        && column.definition.contains("NOT NULL") == found.isRequired
      if !column.definition.hasPrefix(found.type) {
        column.kind = Self.kind(found.type)
        column.type = found.type
      }
      if !isSame { column.definition = found.type + (found.isRequired ? " NOT NULL" : "") }
      if column.check == nil { column.isOptional = !found.isRequired }
      return column
    }
    guard !result.columns.isEmpty || property.columns.isEmpty else { return nil }
    if property.columns.count == 1, property.relationship == nil, let column = result.columns.first
    {
      result.isOptional = column.isOptional
      if column.type == column.definition { result.type = column.type }
    }
    return result
  }

  /// Describes a column that the schema doesn't know.
  private func describe(_ column: Column, of table: String) throws -> PropertyDescription {
    let definition = column.type + (column.isRequired ? " NOT NULL" : "")
    let destination = try connection.text(
      "SELECT \"table\" FROM pragma_foreign_key_list(?) WHERE \"from\" = ?",
      [.text(table), .text(column.name)])
    return PropertyDescription(
      name: column.name, originalName: column.name, type: column.type,
      isOptional: !column.isRequired,
      columns: [
        ColumnDescription(
          name: column.name, kind: destination == nil ? Self.kind(column.type) : .reference,
          type: column.type, isOptional: !column.isRequired, members: [],
          definition: definition + (destination == nil ? "" : " REFERENCES"), check: nil)
      ], relationship: destination.map { RelationshipDescription(toOne: $0) })
  }

  private static func kind(_ type: String) -> ColumnKind {
    switch type {
    case "INTEGER": .integer
    case "REAL": .real
    case "TEXT": .text
    default: .data
    }
  }

  /// The existing objects of the entity in the file, with the statements that created them.
  private func objects(of entity: EntityDescription) throws -> [DatabaseObject] {
    let own = Set(entity.objects.map(\.name))
    let statement = try connection.statement(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    defer { statement.reset() }
    var objects: [DatabaseObject] = []
    while try statement.step() {
      guard let kind = DatabaseObject.Kind(rawValue: statement.string(at: 0)) else { continue }
      let name = statement.string(at: 1)
      let table = statement.string(at: 2)
      let isOurs =
        own.contains(name) || name == "\(entity.table)_readable"
        || (table == entity.table && entity.table == entity.name && name.hasPrefix(table + "_"))
      if isOurs { objects.append(DatabaseObject(kind, name, statement.string(at: 3))) }
    }
    return objects
  }
}
