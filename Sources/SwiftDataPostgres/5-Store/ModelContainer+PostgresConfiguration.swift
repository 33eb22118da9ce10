import SwiftDataCore

extension ModelContainer {
  /// Creates a container whose stores are on servers, and migrates them by a plan.
  ///
  /// - Parameters:
  ///   - givenSchema: The models.
  ///   - migrationPlan: The plan for stores of earlier versions of the schema.
  ///   - configurations: The stores.
  /// - Throws: The errors of ``PostgresStore/init(_:migrationPlan:)``.
  public convenience init(
    for givenSchema: Schema, migrationPlan: any SchemaMigrationPlan.Type,
    configurations: [PostgresConfiguration]
  ) throws {
    try self.init(opening: configurations, for: givenSchema, migrationPlan: migrationPlan)
  }
}
