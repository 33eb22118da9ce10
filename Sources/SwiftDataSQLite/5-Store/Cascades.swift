import SwiftDataCore
import SwiftDataSQL

/// A delete rule that leads from the rows of a table to others that are deleted with them.
struct Cascade {
  let destination: String
  /// Selects the destinations of the rows whose IDs are in the parameter, a JSON list, and the rows that lead to them.
  let select: String
  /// Removes the links from the rows of the second parameter to those of the first; nil where they can't be removed.
  let unlink: String?

  /// Row IDs as a parameter.
  static func list(_ rowIDs: some Sequence<Int64>) -> SQLValue {
    .text("[\(rowIDs.lazy.map(String.init).joined(separator: ","))]")
  }
}

/// The cascades from each table.
struct Cascades {
  let byTable: [String: [Cascade]]

  /// Finds the cascades of all tables that can be reached from some.
  init(from tables: some Sequence<String>, _ entities: StoreEntities) {
    var found: [String: [Cascade]] = [:]
    var waiting = Array(tables)
    while let next = waiting.popLast() {
      guard found[next] == nil else { continue }
      let ways = entities.plans.filter { $0.table == next }.flatMap { plan in
        plan.ownRelationships.compactMap { Self.cascade(at: $0, of: plan, entities) }
      }
      found[next] = ways
      waiting += ways.map(\.destination)
    }
    byTable = found
  }

  private static func cascade(
    at index: Int, of plan: EntityPlan, _ entities: StoreEntities
  ) -> Cascade? {
    guard let relationship = plan.properties[index].relationship,
      relationship.deleteRule == .cascade,
      let destination = entities.plansByType[ObjectIdentifier(relationship.destination)]
    else { return nil }
    let listed = "IN (SELECT value FROM json_each(?1))"
    let leading = "IN (SELECT value FROM json_each(?2))"
    switch relationship.storage {
    case .column:
      guard let key = key(at: index, of: plan) else { return nil }
      let table = SQLIdentifier.quoted(plan.table)
      return Cascade(
        destination: destination.table,
        select: "SELECT \(key), \(SQLIdentifier.rowID) FROM \(table)"
          + " WHERE \(SQLIdentifier.rowID) \(listed) AND \(key) IS NOT NULL",
        unlink: relationship.isOptional
          ? "UPDATE \(table) SET \(key) = NULL WHERE \(key) \(listed) AND \(SQLIdentifier.rowID)"
            + " \(leading)" : nil)
    case .inverseColumn:
      guard let inverse = relationship.inverse, let key = key(at: inverse, of: destination)
      else { return nil }
      let table = SQLIdentifier.quoted(destination.table)
      let isOptional = destination.properties[inverse].relationship?.isOptional == true
      return Cascade(
        destination: destination.table,
        select: "SELECT \(SQLIdentifier.rowID), \(key) FROM \(table) WHERE \(key) \(listed)",
        unlink: isOptional
          ? "UPDATE \(table) SET \(key) = NULL WHERE \(SQLIdentifier.rowID) \(listed) AND \(key)"
            + " \(leading)" : nil)
    case .joinTable(let join):
      let pairs = SQLIdentifier.quoted(join.name)
      let row = SQLIdentifier.quoted(join.destinationColumn)
      let owner = SQLIdentifier.quoted(join.ownerColumn)
      return Cascade(
        destination: destination.table,
        select: "SELECT \(row), \(owner) FROM \(pairs) WHERE \(owner) \(listed)",
        unlink: "DELETE FROM \(pairs) WHERE \(row) \(listed) AND \(owner) \(leading)")
    }
  }

  private static func key(at index: Int, of plan: EntityPlan) -> String? {
    plan.properties[index].columns.first.map { SQLIdentifier.quoted(plan.columns[$0].name) }
  }

  /// Whether a path from `table` visits a table twice.
  func hasCycle(from table: String) -> Bool {
    var done: Set<String> = []
    var begun: Set<String> = []
    func meets(_ table: String) -> Bool {
      if done.contains(table) { return false }
      guard begun.insert(table).inserted else { return true }
      for cascade in byTable[table] ?? [] where meets(cascade.destination) { return true }
      done.insert(table)
      return false
    }
    return meets(table)
  }
}
