/// The versions of an app's models in order, and the steps that migrate a store from one to the next.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions of the schema, the oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The steps between the versions.
  static var stages: [MigrationStage] { get }
}

/// One step of a migration plan.
public enum MigrationStage: Sendable {
  /// The step can be inferred from the two versions.
  case lightweight(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
  /// The step runs code before and after.
  @preconcurrency case custom(
    fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
    willMigrate: (@Sendable (ModelContext) throws -> Void)?,
    didMigrate: (@Sendable (ModelContext) throws -> Void)?)
}
