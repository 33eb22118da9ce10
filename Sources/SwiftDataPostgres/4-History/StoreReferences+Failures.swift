import SwiftDataCore
import SwiftDataSQL

extension StoreReferences {
  /// The failure of a foreign key in words, with the classes, the property and the remedy; nil for a key that isn't of
  /// a relationship of the models.
  func explanation(of failure: PostgresFailure) -> String? {
    guard failure.sqlState == PostgresFailure.foreignKey else { return nil }
    for plan in plans.values.joined() {
      for property in plan.ownRelationships {
        guard let relationship = plan.properties[property].relationship else { continue }
        let name = plan.properties[property].name
        let destination = relationship.destinationEntity
        switch relationship.storage {
        case .column:
          guard failure.constraint == Self.key(of: property, in: plan) else { continue }
          return failure.keepsDestination
            ? "a \(destination) can't be deleted while a \(plan.name) refers to it by \(name)"
              + " (delete rule deny, or a relationship that isn't optional)."
              + " Delete that one too, or give it another \(destination)."
            : "a \(plan.name) leads by \(name) to a \(destination) that another context or program has"
              + " deleted, or this change. Set that to nil or to another \(destination), or roll the"
              + " changes back."
        case .joinTable(let pairs):
          // Both ends have the table; the first one names it.
          guard pairs.ownerColumn == "owner", !failure.keepsDestination,
            failure.table == PostgresStatementText.shortened(pairs.name)
          else { continue }
          return "\(plan.name).\(name) links a \(plan.name) and a \(destination) of which another"
            + " context or program has deleted one, or this change. Remove the link, or roll the"
            + " changes back."
        case .inverseColumn: continue
        }
      }
    }
    return nil
  }

  /// The name of the foreign key of a relationship, as the server keeps it.
  private static func key(of property: Int, in plan: EntityPlan) -> String {
    let column = plan.columns[plan.properties[property].columns.lowerBound].name
    return PostgresStatementText.shortened(ObjectNames.name(plan.table, [column], "reference"))
  }
}
