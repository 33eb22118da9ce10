import SwiftDataCore
import SwiftDataSQL

/// One version of a schema with all that a store needs for it.
struct PlannedVersion {
  let schema: Schema
  let plans: [EntityPlan]
  let attributes: StoreAttributes
  let description: SchemaDescription
}

/// One stage of a migration, ready to be carried out.
struct PlannedStage {
  /// The stage for people: `inferred`, or the versions.
  let name: String
  /// The version that the file has before; nil when it is known by its description only.
  let from: PlannedVersion?
  let to: PlannedVersion
  let step: SchemaStep
  var willMigrate: (@Sendable (ModelContext) throws -> Void)?
  var didMigrate: (@Sendable (ModelContext) throws -> Void)?

  /// Whether the plan says that the file becomes an older version.
  var leadsBack = false

  var isCustom: Bool { willMigrate != nil || didMigrate != nil }
}
