import SwiftDataCore

/// Stores relationships and enforces their delete rules in the database: foreign keys where the other table has the
/// key, triggers where the own table has it. So a deletion by any program has the same effect.
package enum RelationshipTables {
  private static let rowID = SQLIdentifier.rowID

  /// The end of a foreign key that is checked at the end of the transaction, where the database can do that.
  private static func deferred(_ dialect: any SQLDialect) -> String {
    dialect.features.hasDeferredKeys ? " DEFERRABLE INITIALLY DEFERRED" : ""
  }

  /// The foreign key clause of a to-one relationship's column; nil for other columns and where `noAction` lets the key
  /// dangle.
  static func reference(
    of column: ColumnPlan, _ plan: EntityPlan, _ plans: [ObjectIdentifier: EntityPlan],
    _ dialect: any SQLDialect
  ) -> String? {
    guard let relationship = plan.properties[column.property].relationship,
      let destination = plans[ObjectIdentifier(relationship.destination)]
    else { return nil }
    let action: String
    switch rule(of: relationship.inverse, in: destination) ?? .nullify {
    case .noAction: return nil
    case .cascade: action = " ON DELETE CASCADE"
    case .nullify where relationship.isOptional: action = " ON DELETE SET NULL"
    // Checked at the end of the transaction, so that both ends can be deleted in one transaction.
    case .nullify, .deny: action = ""
    }
    return " REFERENCES \(SQLIdentifier.quoted(destination.table)) (\(rowID))\(action)"
      + deferred(dialect)
  }

  private static func rule(
    of property: Int?, in plan: EntityPlan
  ) -> Schema.Relationship.DeleteRule? {
    property.flatMap { plan.properties[$0].relationship?.deleteRule }
  }

  /// The tables of pairs in which `plan` is the first end, by name, with the statements that create each.
  package static func pairs(
    of plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], dialect: any SQLDialect
  ) -> [(name: String, statements: [String])] {
    ends(of: plan, plans).compactMap { relationship, _, destination in
      guard let join = relationship.joinTable, join.ownerColumn == "owner" else { return nil }
      return (join.name, table(join, join.name, relationship, plan, destination, dialect))
    }
  }

  /// The statement that creates the table of pairs of a property under another name.
  package static func pairs(
    of property: Int, in plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan],
    named name: String, dialect: any SQLDialect
  ) -> String? {
    guard let relationship = plan.properties[property].relationship,
      let join = relationship.joinTable,
      let destination = plans[ObjectIdentifier(relationship.destination)]
    else { return nil }
    return table(join, name, relationship, plan, destination, dialect).first
  }

  /// The triggers of the delete rules of `plan`, by name; none where the database has no triggers.
  package static func triggers(
    of plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan], dialect: any SQLDialect
  ) -> [(name: String, statement: String)] {
    guard dialect.features.hasTriggers else { return [] }
    return ends(of: plan, plans).compactMap { relationship, property, destination in
      let name = ObjectNames.name(plan.name, [property], "delete")
      let column =
        plan.propertiesByName[property].flatMap { plan.properties[$0].columns.first }
        .map { plan.columns[$0].name } ?? property
      return trigger(name, relationship, plan, property, column, destination, dialect).map {
        (name, dialect.statement(creating: $0))
      }
    }
  }

  private static func ends(
    of plan: EntityPlan, _ plans: [ObjectIdentifier: EntityPlan]
  ) -> [(RelationshipPlan, String, EntityPlan)] {
    plan.ownRelationships.compactMap { index in
      guard let relationship = plan.properties[index].relationship,
        let destination = plans[ObjectIdentifier(relationship.destination)]
      else { return nil }
      return (relationship, plan.properties[index].name, destination)
    }
  }

  // MARK: - Tables of pairs

  private static func table(
    _ join: RelationshipPlan.JoinTable, _ name: String, _ relationship: RelationshipPlan,
    _ plan: EntityPlan, _ destination: EntityPlan, _ dialect: any SQLDialect
  ) -> [String] {
    let back = rule(of: relationship.inverse, in: destination) ?? .nullify
    let name = SQLIdentifier.quoted(name)
    return [
      """
      CREATE TABLE \(name) (
        \(end(join.ownerColumn, plan, relationship.deleteRule, dialect)),
        \(end(join.destinationColumn, destination, back, dialect)),\(orders(join, dialect))
        PRIMARY KEY (\(SQLIdentifier.quoted(join.ownerColumn)), \(SQLIdentifier.quoted(join.destinationColumn)))
      )\(dialect.keyedTableEnding)
      """,
      "CREATE INDEX \(SQLIdentifier.quoted(join.name + "_index")) ON \(name)"
        + " (\(SQLIdentifier.quoted(join.destinationColumn)))",
    ]
  }

  /// The position columns come after the two ends, because readers find the ends by their position.
  private static func orders(
    _ join: RelationshipPlan.JoinTable, _ dialect: any SQLDialect
  ) -> String {
    [join.ownerOrderColumn, join.destinationOrderColumn].compactMap { $0 }
      .map { "\n    \(SQLIdentifier.quoted($0)) \(dialect.type(of: .integer))," }.joined()
  }

  private static func end(
    _ column: String, _ plan: EntityPlan, _ rule: Schema.Relationship.DeleteRule,
    _ dialect: any SQLDialect
  ) -> String {
    let action =
      switch rule {
      case .nullify, .noAction: " ON DELETE CASCADE"
      // A trigger removes the pairs after it has followed them.
      case .cascade, .deny: ""
      }
    return "\(SQLIdentifier.quoted(column)) \(dialect.type(of: .reference)) NOT NULL"
      + " REFERENCES \(SQLIdentifier.quoted(plan.table)) (\(rowID))\(action)\(deferred(dialect))"
  }

  // MARK: - Triggers

  /// The end of the message with which the delete rule `deny` fails.
  package static let denied = ": delete rule deny"

  private static func trigger(
    _ name: String, _ relationship: RelationshipPlan, _ plan: EntityPlan, _ property: String,
    _ column: String, _ destination: EntityPlan, _ dialect: any SQLDialect
  ) -> SQLTrigger? {
    let table = SQLIdentifier.quoted(plan.table)
    let target = SQLIdentifier.quoted(destination.table)
    let key = "OLD.\(SQLIdentifier.quoted(column))"
    switch (relationship.deleteRule, relationship.storage) {
    case (.cascade, .column):
      return SQLTrigger(
        name: name, event: "AFTER DELETE ON \(table)", condition: "\(key) IS NOT NULL",
        statements: ["DELETE FROM \(target) WHERE \(rowID) = \(key)"])
    case (.deny, .column):
      return SQLTrigger(
        name: name, event: "BEFORE DELETE ON \(table)",
        condition: "EXISTS (SELECT 1 FROM \(target) WHERE \(rowID) = \(key))",
        statements: [dialect.failure("\(plan.name).\(property)\(denied)")])
    case (.cascade, .joinTable(let join)):
      let pairs = SQLIdentifier.quoted(join.name)
      let owner = SQLIdentifier.quoted(join.ownerColumn)
      return SQLTrigger(
        name: name, event: "AFTER DELETE ON \(table)",
        statements: [
          "DELETE FROM \(target) WHERE \(rowID) IN"
            + " (SELECT \(SQLIdentifier.quoted(join.destinationColumn)) FROM \(pairs)"
            + " WHERE \(owner) = OLD.\(rowID))",
          "DELETE FROM \(pairs) WHERE \(owner) = OLD.\(rowID)",
        ])
    default: return nil
    }
  }

  /// Statements that remove all links of an entity, so that its rows can be deleted in any order.
  package static func emptying(_ plan: EntityPlan) -> [String] {
    plan.ownRelationships.compactMap { index in
      guard let relationship = plan.properties[index].relationship else { return nil }
      if let join = relationship.joinTable {
        return "DELETE FROM \(SQLIdentifier.quoted(join.name))"
      }
      guard relationship.storage == .column,
        let column = plan.properties[index].columns.first
      else { return nil }
      let name = SQLIdentifier.quoted(plan.columns[column].name)
      return
        "UPDATE \(SQLIdentifier.quoted(plan.table)) SET \(name) = NULL WHERE \(name) IS NOT NULL"
    }
  }
}
