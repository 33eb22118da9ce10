import SwiftDataCore
import SwiftDataSQL

/// One version of a schema with everything that a store needs for it.
struct PlannedVersion {
  let schema: Schema
  let plans: [EntityPlan]
  let attributes: StoreAttributes
  let description: SchemaDescription
}

/// One stage of a migration, ready to be executed.
struct PlannedStage {
  /// The name of the stage in messages: `inferred`, or the two versions.
  let name: String
  /// The version of the file before the stage; nil when it is known only by its description.
  let from: PlannedVersion?
  let to: PlannedVersion
  let step: SchemaStep
  var willMigrate: (@Sendable (ModelContext) throws -> Void)?
  var didMigrate: (@Sendable (ModelContext) throws -> Void)?

  /// Whether the plan migrates the file back to an older version.
  var isDowngrade = false

  var isCustom: Bool { willMigrate != nil || didMigrate != nil }
}
