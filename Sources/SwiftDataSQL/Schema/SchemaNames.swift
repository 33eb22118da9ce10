import SwiftDataCore

/// Checks that all objects of a schema can have their names in one database, so that none is silently left out or
/// refused with one of the database's own messages.
package enum SchemaNames {
  /// The tables of a store besides those of its entities, in lower case.
  private static let ownTables: Set<String> = ["_metadata", "_rownumbers"]
  /// The name prefixes of further tables besides those of entities.
  private static let ownPrefixes = [
    "_history_", "_external_", "_search_", "_sync_", "_syncserver_", SchemaStep.prefix,
  ]

  /// - Throws: ``SchemaError`` with the code `reservedName`, `nameClash` or `columnClash`.
  package static func check(
    _ plans: [EntityPlan], plansByType: [ObjectIdentifier: EntityPlan], dialect: any SQLDialect
  ) throws {
    for plan in plans {
      try checkName(of: plan, dialect)
      try checkColumns(of: plan)
    }
    // Triggers have their own namespace; tables, indices and views share one.
    var triggers: [String: (entity: String, statement: String)] = [:]
    var others: [String: (entity: String, statement: String)] = [:]
    func add(
      _ name: String, _ statement: String, _ plan: EntityPlan,
      to known: inout [String: (entity: String, statement: String)]
    ) throws {
      // A database may compare names without case.
      let key = name.lowercased()
      if let first = known[key], first.statement != statement {
        throw SchemaError.nameClash(name: name, first: first.entity, second: plan.name)
      }
      known[key] = (plan.name, statement)
    }
    for plan in plans {
      for object in DatabaseObject.all(of: plan, plans: plansByType, dialect: dialect) {
        if object.kind == .trigger {
          try add(object.name, object.statement, plan, to: &triggers)
        } else {
          try add(object.name, object.statement, plan, to: &others)
        }
      }
      for table in dialect.searchTables(for: [plan]) {
        for ending in [""] + table.shadowEndings {
          try add(table.name + ending, table.creation + ending, plan, to: &others)
        }
        for (name, statement) in table.triggers {
          try add(name, statement, plan, to: &triggers)
        }
      }
      for column in plan.columns where plan.properties[column.property].storage.isExternal {
        for ending in ["external", "external_delete", "external_update"] {
          let name = ObjectNames.name(plan.table, [column.name], ending)
          try add(name, "\(plan.table) \(column.name) \(ending)", plan, to: &triggers)
          try add(name, "\(plan.table) \(column.name) \(ending)", plan, to: &others)
        }
      }
    }
  }

  private static func checkName(of plan: EntityPlan, _ dialect: any SQLDialect) throws {
    let name = plan.name.lowercased()
    if let reason = dialect.reservation(of: name) {
      throw SchemaError.reservedName(entity: plan.name, reason: reason)
    }
    if ownTables.contains(name) || ownPrefixes.contains(where: name.hasPrefix) {
      throw SchemaError.reservedName(
        entity: plan.name, reason: "the store has a table of that name, or may have one")
    }
  }

  private static func checkColumns(of plan: EntityPlan) throws {
    for column in plan.columns {
      let property = plan.properties[column.property].name
      if plan.family != nil, column.name.lowercased() == EntityFamily.discriminator {
        throw SchemaError.reservedName(
          entity: plan.name, property: property,
          reason:
            "the column \(EntityFamily.discriminator) of a class with subclasses has the row's"
            + " class")
      }
    }
    guard plan.family?.isRoot(plan) ?? true else { return }
    var known: Set<String> = []
    let names = TableDefinition.columns(plan).map(\.column.name) + plan.orderColumnsOfTable
    for name in names where !known.insert(name.lowercased()).inserted {
      throw SchemaError.orderClash(entity: plan.name, column: name)
    }
  }
}
