import SwiftDataCore

/// The statements that make the table of an entity, its indices and a view that people can read.
package enum TableDefinition {
  /// - Parameters:
  ///   - plan: The entity.
  ///   - plans: The plans of the whole schema, by model type: the destinations of relationships.
  package static func statements(
    for plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan]
  ) -> [String] {
    var statements = [table(plan, plans)]
    for columns in plan.uniqueness { statements.append(index(plan, columns, isUnique: true)) }
    for columns in indices(plan) { statements.append(index(plan, columns, isUnique: false)) }
    statements.append(readableView(plan))
    return statements
  }

  /// The type whose affinity keeps the encoding as it is (https://sqlite.org/datatype3.html).
  package static func type(of kind: ColumnKind) -> String {
    switch kind {
    case .boolean, .integer, .unsigned, .reference, .presence: "INTEGER"
    case .real, .date: "REAL"
    case .text, .url, .decimal, .json: "TEXT"
    case .data, .uuid: "BLOB"
    }
  }

  private static func table(
    _ plan: EntityPlan, _ plans: [ObjectIdentifier: EntityPlan]
  ) -> String {
    var lines = ["\(SQLIdentifier.quoted(SQLIdentifier.rowID)) INTEGER PRIMARY KEY"]
    for column in plan.columns {
      // Ciphertext is a blob whatever it stands for.
      let isEncrypted = plan.properties[column.property].storage.isEncrypted
      var line =
        "\(SQLIdentifier.quoted(column.name)) \(isEncrypted ? "BLOB" : type(of: column.kind))"
      if !column.isOptional { line += " NOT NULL" }
      if let reference = RelationshipTables.reference(of: column, plan, plans) {
        line += reference
      }
      lines.append(line)
    }
    return "CREATE TABLE \(SQLIdentifier.quoted(plan.name)) (\n  "
      + lines.joined(separator: ",\n  ") + "\n)"
  }

  /// The indices that are asked for, and one for each reference: deleting a destination looks for
  /// the rows that refer to it.
  private static func indices(_ plan: EntityPlan) -> [[Int]] {
    var indices = plan.indices
    for (position, column) in plan.columns.enumerated() where column.kind == .reference {
      let known = plan.uniqueness + indices
      if !known.contains(where: { $0.first == position }) { indices.append([position]) }
    }
    return indices
  }

  private static func index(_ plan: EntityPlan, _ columns: [Int], isUnique: Bool) -> String {
    let names = columns.map { plan.columns[$0].name }
    let name = SQLIdentifier.quoted(
      ([plan.name] + names).joined(separator: "_") + (isUnique ? "_unique" : "_index"))
    let list = names.map(SQLIdentifier.quoted).joined(separator: ", ")
    return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) ON \(SQLIdentifier.quoted(plan.name))"
      + " (\(list))"
  }

  /// The rows with dates in ISO 8601 and UUIDs in their usual form, for people and other programs.
  private static func readableView(_ plan: EntityPlan) -> String {
    var columns = [SQLIdentifier.quoted(SQLIdentifier.rowID)]
    for column in plan.columns {
      let name = SQLIdentifier.quoted(column.name)
      switch column.kind {
      case .date: columns.append("\(readableDate(name)) AS \(name)")
      case .uuid: columns.append("\(readableUUID(name)) AS \(name)")
      default: columns.append(name)
      }
    }
    return "CREATE VIEW \(SQLIdentifier.quoted(plan.name + "_readable")) AS SELECT\n  "
      + columns.joined(separator: ",\n  ") + "\nFROM \(SQLIdentifier.quoted(plan.name))"
  }

  /// Seconds since 2001 as a date; as they are where SQLite's calendar (years 0 to 9999) ends.
  private static func readableDate(_ name: String) -> String {
    // The text NaN is greater than '' and no number.
    "CASE WHEN \(name) < '' THEN ifnull("
      + "strftime('%Y-%m-%dT%H:%M:%fZ', \(name) + 978307200.0, 'unixepoch'), \(name))"
      + " ELSE \(name) END"
  }

  private static func readableUUID(_ name: String) -> String {
    let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)]
    return parts.map { "substr(hex(\(name)), \($0.0), \($0.1))" }.joined(separator: " || '-' || ")
  }
}
