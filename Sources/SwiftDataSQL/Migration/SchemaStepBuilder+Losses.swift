import SwiftDataCore

/// Data that the new schema has no place for.
extension SchemaStepBuilder {
  /// Records the data that the new schema has no place for.
  mutating func recordLosses() {
    for name in new.entities.keys.sorted() {
      guard let origin = old[name], let entity = new[name], let matching = matching(name) else {
        continue
      }
      for property in matching.removed {
        if origin.ownProperties.contains(where: { $0.name == property.name }) {
          recordLoss(of: property, in: origin)
        } else if !isRemoved(property, fromAncestorOf: origin) {
          recordInheritedLoss(of: property, in: origin)
        }
      }
      for property in entity.properties {
        guard let former = matching[property], former.relationship == nil else { continue }
        let kept = Set(property.columns.map(\.members))
        let gone = former.columns.filter { !kept.contains($0.members) && $0.kind != .presence }
        recordLoss(gone, "\(name).\(former.name)", origin, rows(of: [origin]))
      }
    }
  }

  /// Whether the entity that declares an inherited property loses it, too.
  private func isRemoved(
    _ property: PropertyDescription, fromAncestorOf entity: EntityDescription
  ) -> Bool {
    var current = entity.superentity
    var known: Set<String> = []
    while let name = current, known.insert(name).inserted, let ancestor = old[name] {
      if ancestor.ownProperties.contains(where: { $0.name == property.name }) {
        return matching(name)?.removed.contains { $0.name == property.name } ?? false
      }
      current = ancestor.superentity
    }
    return false
  }

  /// A condition for rows of the entities, which begins with AND; empty if they have their table alone.
  private func rows(of entities: [EntityDescription]) -> String {
    guard entities.first?.sharesTable == true else { return "" }
    let names = entities.map { SQLIdentifier.literal($0.name) }.joined(separator: ", ")
    return " AND \(SQLIdentifier.quoted(EntityFamily.discriminator)) IN (\(names))"
  }

  /// Records what an entity that leaves its superclass doesn't keep of a property that its superclass keeps.
  private mutating func recordInheritedLoss(
    of property: PropertyDescription, in entity: EntityDescription
  ) {
    let name = "\(entity.name).\(property.name)"
    let own = rows(of: [entity])
    guard property.relationship != nil else {
      return recordLoss(property.columns, name, entity, own)
    }
    guard let link = LinkSource(property, of: entity, in: old, dialect) else { return }
    step.losses.append(
      SchemaStep.Loss(
        description: "links of \(name)",
        count: "SELECT count(*) FROM \(dialect.subquery(link.query)) WHERE o IN (SELECT"
          + " \(SQLIdentifier.rowID) FROM \(SQLIdentifier.quoted(entity.table)) WHERE true\(own))"))
  }

  private mutating func recordLoss(of property: PropertyDescription, in entity: EntityDescription) {
    let name = "\(entity.name).\(property.name)"
    guard property.relationship != nil else {
      // Entities that the new schema doesn't have lose whole models, and others may declare the property themselves.
      let heirs = old.entities(in: entity.table).filter { heir in
        old.isSame(entity.name, orAncestorOf: heir.name)
          && matching(heir.name)?.removed.contains { $0.name == property.name } ?? false
      }
      return recordLoss(property.columns, name, entity, rows(of: heirs))
    }
    guard let link = LinkSource(property, of: entity, in: old, dialect),
      usedLinks.insert(link.key).inserted
    else { return }
    step.losses.append(
      SchemaStep.Loss(
        description: "links of \(name)",
        count: "SELECT count(*) FROM \(dialect.subquery(link.query))"))
  }

  private mutating func recordLoss(
    _ columns: [ColumnDescription], _ name: String, _ entity: EntityDescription,
    _ condition: String
  ) {
    guard !columns.isEmpty else { return }
    let present = columns.map { "\(SQLIdentifier.quoted($0.name)) IS NOT NULL" }
    step.losses.append(
      SchemaStep.Loss(
        description: "values of \(name)",
        count: "SELECT count(*) FROM \(SQLIdentifier.quoted(entity.table))"
          + " WHERE (\(present.joined(separator: " OR ")))\(condition)"))
  }
}
