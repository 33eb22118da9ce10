import SwiftDataCore

/// The special forms in which a store keeps the attributes of one version of a schema.
package protocol StoredAttributes: Sendable {
  /// Changes the cells of the columns at `positions` of a row that has only these to their stored form.
  func encrypt(_ row: inout _RowWriter, columns positions: [Int], of plan: EntityPlan) throws
}

/// One version of a schema with everything that a store needs for it.
package struct PlannedVersion<Attributes: StoredAttributes>: Sendable {
  package let schema: Schema
  package let plans: [EntityPlan]
  package let attributes: Attributes
  package let description: SchemaDescription

  /// - Parameter version: The version of the description.
  package init(
    _ schema: Schema, _ plans: [EntityPlan], _ attributes: Attributes, version: Schema.Version,
    dialect: any SQLDialect
  ) {
    self.schema = schema
    self.plans = plans
    self.attributes = attributes
    description = SchemaDescription(
      plans,
      plansByType: Dictionary(
        plans.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first }),
      version: version, dialect: dialect)
  }
}

/// One stage of a migration, ready to be executed.
package struct PlannedStage<Attributes: StoredAttributes>: Sendable {
  /// The name of the stage in messages: `inferred`, or the two versions.
  package let name: String
  /// The version of the store before the stage; nil when it is known only by its description.
  package let from: PlannedVersion<Attributes>?
  package let to: PlannedVersion<Attributes>
  package let step: SchemaStep
  package internal(set) var willMigrate: (@Sendable (ModelContext) throws -> Void)?
  package internal(set) var didMigrate: (@Sendable (ModelContext) throws -> Void)?

  /// Whether the plan migrates the store back to an older version.
  package internal(set) var isDowngrade = false

  package var isCustom: Bool { willMigrate != nil || didMigrate != nil }
}
