import SwiftDataCore
import SwiftDataSQL

/// Makes the conditions by which delete rules lead from rows to others.
struct DeleteRules {
  private let plansByType: [ObjectIdentifier: EntityPlan]

  init(_ plansByType: [ObjectIdentifier: EntityPlan]) { self.plansByType = plansByType }

  /// The rules of some relationships, by the table of their owners.
  func byTable(
    _ plans: [EntityPlan], where isIncluded: (RelationshipPlan) -> Bool
  ) -> [String: [StoreReferences.Rule]] {
    var rules: [String: [StoreReferences.Rule]] = [:]
    for plan in plans {
      for property in plan.ownRelationships {
        guard let relationship = plan.properties[property].relationship, isIncluded(relationship),
          let rule = rule(of: plan, property, relationship)
        else { continue }
        rules[plan.table, default: []].append(rule)
      }
    }
    return rules
  }

  private func rule(
    of plan: EntityPlan, _ property: Int, _ relationship: RelationshipPlan
  ) -> StoreReferences.Rule? {
    guard let destination = plansByType[ObjectIdentifier(relationship.destination)] else {
      return nil
    }
    let condition: String
    let id = "d.\(SQLIdentifier.rowID)"
    switch relationship.storage {
    case .column:
      guard let key = Self.key(of: plan, property) else { return nil }
      condition =
        "\(id) IN (SELECT \(key) FROM \(SQLIdentifier.quoted(plan.table))"
        + " WHERE \(SQLIdentifier.rowID) = ANY (?))"
    case .inverseColumn:
      guard let inverse = relationship.inverse, let key = Self.key(of: destination, inverse) else {
        return nil
      }
      condition = "d.\(key) = ANY (?)"
    case .joinTable(let join):
      condition =
        "\(id) IN (SELECT \(SQLIdentifier.quoted(join.destinationColumn))"
        + " FROM \(SQLIdentifier.quoted(join.name))"
        + " WHERE \(SQLIdentifier.quoted(join.ownerColumn)) = ANY (?))"
    }
    return StoreReferences.Rule(
      name: "\(plan.name).\(plan.properties[property].name)", destination: destination,
      condition: condition)
  }

  private static func key(of plan: EntityPlan, _ property: Int) -> String? {
    plan.properties[property].columns.first.map { SQLIdentifier.quoted(plan.columns[$0].name) }
  }
}
