import SwiftDataCore

/// The statements that create the table of an entity, its indices and a human-readable view.
package enum TableDefinition {
  /// - Parameters:
  ///   - plan: The entity.
  ///   - plans: The plans of the whole schema, by model type, for the destinations of relationships.
  ///   - dialect: The database's SQL.
  package static func statements(
    for plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], dialect: any SQLDialect
  ) -> [String] {
    objects(for: plan, plans: plans, dialect: dialect).map(\.statement)
  }

  /// The table of an entity, its indices and the view, in an order in which they can be created; none for a subclass.
  package static func objects(
    for plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], dialect: any SQLDialect
  ) -> [DatabaseObject] {
    // Rows of subclasses are in the table of the root class, which is created for all of them.
    if let family = plan.family, !family.isRoot(plan) { return [] }
    let members = plan.family?.plans ?? [plan]
    var objects = [
      DatabaseObject(.table, plan.table, table(plan, plans, named: plan.table, dialect: dialect))
    ]
    var known: Set<String> = []
    let unique = members.flatMap { member in member.uniqueness.map { names($0, of: member) } }
    objects += unique.map { index(plan.table, $0, isUnique: true, among: unique, dialect) }
      .filter { known.insert($0.name).inserted }
    let plain = members.flatMap { member in indices(member).map { names($0, of: member) } }
    objects += plain.map { index(plan.table, $0, isUnique: false, among: plain, dialect) }
      .filter { known.insert($0.name).inserted }
    objects.append(
      DatabaseObject(.view, plan.table + "_readable", readableView(plan, dialect)))
    return objects
  }

  /// The names of the indices of an entity without superclass and subclasses.
  package static func indexNames(of plan: EntityPlan) -> [String] {
    let unique = plan.uniqueness.map { names($0, of: plan) }
    let plain = indices(plan).map { names($0, of: plan) }
    return unique.map { indexName(plan.table, $0, isUnique: true, among: unique) }
      + plain.map { indexName(plan.table, $0, isUnique: false, among: plain) }
  }

  /// The columns of a table, each with the entity that declares it.
  static func columns(_ plan: EntityPlan) -> [(plan: EntityPlan, column: ColumnPlan)] {
    guard let family = plan.family else { return plan.columns.map { (plan, $0) } }
    return family.columns.map { ($0.plan, $0.plan.columns[$0.column]) }
  }

  /// A column's definition after its name, and its CHECK constraint at the end of the table.
  package static func definition(
    of column: ColumnPlan, in plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan],
    dialect: any SQLDialect
  ) -> (definition: String, check: String?) {
    // Ciphertext is data, whatever the type of the value.
    let isEncrypted = plan.properties[column.property].storage.isEncrypted
    var definition = dialect.type(of: isEncrypted ? .data : column.kind)
    let check = column.isOptional ? nil : check(column, plan)
    if !column.isOptional, check == nil { definition += " NOT NULL" }
    if dialect.features.hasForwardReferences {
      definition += RelationshipTables.reference(of: column, plan, plans, dialect) ?? ""
    }
    return (definition, check)
  }

  /// The statements that add the foreign keys to the table of an entity, by name; none for a subclass, and where a
  /// table's own statement has them.
  package static func foreignKeys(
    for plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], dialect: any SQLDialect
  ) -> [(name: String, statement: String)] {
    guard !dialect.features.hasForwardReferences, plan.family?.isRoot(plan) ?? true else {
      return []
    }
    let table = SQLIdentifier.quoted(plan.table)
    return columns(plan).compactMap { owner, column in
      guard let reference = RelationshipTables.reference(of: column, owner, plans, dialect) else {
        return nil
      }
      let name = ObjectNames.name(plan.table, [column.name], "reference")
      return (
        name,
        "ALTER TABLE \(table) ADD CONSTRAINT \(SQLIdentifier.quoted(name)) FOREIGN KEY"
          + " (\(SQLIdentifier.quoted(column.name)))\(reference)"
      )
    }
  }

  /// The statement that creates an entity's table under a name.
  package static func table(
    _ plan: EntityPlan, _ plans: [ObjectIdentifier: EntityPlan], named name: String,
    dialect: any SQLDialect
  ) -> String {
    var lines = ["\(SQLIdentifier.rowID) \(dialect.rowIDDefinition)"]
    if plan.family != nil {
      let type = dialect.type(of: .text)
      lines.append("\(SQLIdentifier.quoted(EntityFamily.discriminator)) \(type) NOT NULL")
    }
    var checks: [String] = []
    for (owner, column) in columns(plan) {
      let (definition, check) = definition(
        of: column, in: owner, plans: plans, dialect: dialect)
      lines.append("\(SQLIdentifier.quoted(column.name)) \(definition)")
      if let check { checks.append(check) }
    }
    for name in plan.orderColumnsOfTable {
      lines.append("\(SQLIdentifier.quoted(name)) \(dialect.type(of: .integer))")
    }
    return "CREATE TABLE \(SQLIdentifier.quoted(name)) (\n  "
      + (lines + checks).joined(separator: ",\n  ") + "\n)"
  }

  /// The equivalent of `NOT NULL` for a column that rows of other classes don't have; nil for a column of all classes.
  private static func check(_ column: ColumnPlan, _ plan: EntityPlan) -> String? {
    guard let family = plan.family, !family.isRoot(plan) else { return nil }
    let names = family.descendants(of: plan).map { SQLIdentifier.literal($0.name) }
      .joined(separator: ", ")
    return "CHECK (\(SQLIdentifier.quoted(EntityFamily.discriminator)) NOT IN (\(names))"
      + " OR \(SQLIdentifier.quoted(column.name)) IS NOT NULL)"
  }

  /// The declared indices, and one for each reference: deleting a destination searches for the rows that refer to it.
  private static func indices(_ plan: EntityPlan) -> [[Int]] {
    var indices = plan.indices
    for (position, column) in plan.columns.enumerated() where column.kind == .reference {
      let known = plan.uniqueness + indices
      if !known.contains(where: { $0.first == position }) { indices.append([position]) }
    }
    return indices
  }

  private static func names(_ columns: [Int], of plan: EntityPlan) -> [String] {
    columns.map { plan.columns[$0].name }
  }

  private static func indexName(
    _ table: String, _ columns: [String], isUnique: Bool, among others: [[String]]
  ) -> String {
    ObjectNames.name(table, columns, isUnique ? "unique" : "index", among: others)
  }

  private static func index(
    _ table: String, _ columns: [String], isUnique: Bool, among others: [[String]],
    _ dialect: any SQLDialect
  ) -> DatabaseObject {
    let name = indexName(table, columns, isUnique: isUnique, among: others)
    let list = columns.map { dialect.indexTerm(SQLIdentifier.quoted($0)) }.joined(separator: ", ")
    return DatabaseObject(
      .index, name,
      "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLIdentifier.quoted(name))"
        + " ON \(SQLIdentifier.quoted(table)) (\(list))")
  }

  /// The rows with dates in ISO 8601 and UUIDs in their usual form, for people and other programs.
  private static func readableView(_ plan: EntityPlan, _ dialect: any SQLDialect) -> String {
    var columns = [SQLIdentifier.rowID]
    if plan.family != nil { columns.append(SQLIdentifier.quoted(EntityFamily.discriminator)) }
    for (owner, column) in self.columns(plan) {
      let name = SQLIdentifier.quoted(column.name)
      let isEncrypted = owner.properties[column.property].storage.isEncrypted
      columns.append(
        dialect.readable(name, column.kind, isEncrypted: isEncrypted).map { "\($0) AS \(name)" }
          ?? name)
    }
    return "CREATE VIEW \(SQLIdentifier.quoted(plan.name + "_readable")) AS SELECT\n  "
      + columns.joined(separator: ",\n  ") + "\nFROM \(SQLIdentifier.quoted(plan.name))"
  }
}

extension EntityPlan {
  /// The columns of the plan's table that hold list positions, of all classes in the table.
  package var orderColumnsOfTable: [String] {
    var known: Set<String> = []
    return (family?.plans ?? [self]).flatMap { $0.orderColumns.map(\.name) }
      .filter { known.insert($0).inserted }
  }
}
