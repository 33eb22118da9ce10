import SwiftDataCore

/// The values of other tables that a query for snapshots of an entity selects besides the entity's own columns, for
/// rows `t0`: keys that are in the destination's table, and the entities of destinations in tables of several classes.
package struct SnapshotColumns: Sendable {
  /// The destinations of relationships, by property.
  package let links: [Int: _SnapshotReader.Link]
  /// The values in SQL.
  package let extras: [String]

  /// - Parameter plans: The plans of the whole schema, by model type.
  package init(_ plan: EntityPlan, plans: [ObjectIdentifier: EntityPlan]) {
    var links: [Int: _SnapshotReader.Link] = [:]
    var extras: [String] = []
    for index in plan.relationships {
      guard let relationship = plan.properties[index].relationship, !relationship.isToMany,
        let destination = plans[ObjectIdentifier(relationship.destination)]
      else { continue }
      let table = SQLIdentifier.quoted(destination.table)
      let condition: String
      var key: Int?
      if let column = plan.properties[index].columns.first {
        condition =
          "d.\(SQLIdentifier.rowID)"
          + " = t0.\(SQLIdentifier.quoted(plan.columns[column].name))"
      } else if let inverse = relationship.inverse,
        let column = destination.properties[inverse].columns.first
      {
        let name = SQLIdentifier.quoted(destination.columns[column].name)
        condition = "d.\(name) = t0.\(SQLIdentifier.rowID)"
        key = extras.count
        extras.append(
          "(SELECT d.\(SQLIdentifier.rowID) FROM \(table) AS d WHERE \(condition)"
            + " LIMIT 1)")
      } else {
        continue
      }
      var subclass: Int?
      if destination.family != nil {
        let entity = SQLIdentifier.quoted(EntityFamily.discriminator)
        subclass = extras.count
        extras.append("(SELECT d.\(entity) FROM \(table) AS d WHERE \(condition) LIMIT 1)")
      }
      links[index] = _SnapshotReader.Link(
        entity: relationship.destinationEntity, key: key, subclass: subclass)
    }
    self.links = links
    self.extras = extras
  }
}
