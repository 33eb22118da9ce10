import SwiftDataCore
import SwiftDataSQL

/// The entities of a store: their plans, their statements, and the common parts of their identifiers.
struct StoreEntities: Sendable {
  let schema: Schema
  let plans: [EntityPlan]
  let plansByType: [ObjectIdentifier: EntityPlan]
  /// Whether any entity has relationships.
  let hasRelationships: Bool
  /// The common part of the identifiers of each entity.
  let origins: [String: PersistentIdentifier.Origin]
  private let statementsByName: [String: EntityStatements]
  /// The same statements by plan, which is a quicker lookup.
  private let statementsByPlan: [ObjectIdentifier: EntityStatements]

  /// - Parameter storeIdentifier: The identifier of the store, which is a part of those of its models.
  init(
    _ schema: Schema, _ plans: [EntityPlan], _ attributes: StoreAttributes, storeIdentifier: String
  ) {
    self.schema = schema
    self.plans = plans
    hasRelationships = plans.contains { !$0.relationships.isEmpty }
    plansByType = Dictionary(
      plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    origins = Dictionary(
      plans.map { plan in
        (plan.name, .init(storeIdentifier: storeIdentifier, entityName: plan.name))
      }, uniquingKeysWith: { first, _ in first })
    let made = plans.map { EntityStatements($0, codec: attributes.codec(of: $0)) }
    statementsByName = Dictionary(
      made.map { ($0.plan.name, $0) }, uniquingKeysWith: { first, _ in first })
    statementsByPlan = Dictionary(
      made.map { (ObjectIdentifier($0.plan), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the statements of an entity; nil for one of another store.
  @inline(__always)
  func statements(of plan: EntityPlan) -> EntityStatements? {
    statementsByPlan[ObjectIdentifier(plan)] ?? statementsByName[plan.name]
  }
}
