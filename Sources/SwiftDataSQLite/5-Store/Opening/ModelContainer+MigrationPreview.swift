import Foundation
import SwiftDataCore
import SwiftDataSQL

extension ModelContainer {
  /// Reports the changes that opening a store would make, without changing it or creating a file beside it. An addition
  /// to Apple's interface.
  ///
  /// - Parameters:
  ///   - schema: The models, as for opening.
  ///   - migrationPlan: The plan, as for opening.
  ///   - configuration: The store.
  /// - Throws: The errors of opening for a file that can't be used, or that is no version of the plan.
  public static func migrationPreview(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configuration: ModelConfiguration
  ) throws -> MigrationPreview {
    try configuration.validate()
    return try MigrationPreview(configuration.schema ?? schema, migrationPlan, configuration)
  }
}

extension MigrationPreview {
  fileprivate init(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ configuration: ModelConfiguration
  ) throws {
    let url = configuration.url
    guard !configuration.isStoredInMemoryOnly, FileManager.default.fileExists(atPath: url.path)
    else {
      self.init(url: url, version: schema.version, stages: [])
      return
    }
    let location = try StoreLocation.resolving(url)
    let plans = try EntityPlan.plans(of: schema.types)
    let attributes = try StoreAttributes(
      plans, key: configuration.encryptionKey, location: location, isReadOnly: true)
    let (version, stages) = try Connection.readingWithoutSideFiles(of: location) { connection in
      let opening = try StoreOpening(
        connection: connection, configuration: configuration, location: location, schema: schema,
        plans: plans, attributes: attributes, migrationPlan: plan, isReadOnly: true)
      let stages = try MigrationPreview.stages(
        opening.plannedStages(), dialect: SQLiteDialect(), { try connection.integer($0) },
        problems: { stage in
          try StepChecks(
            stage.step, plans: stage.to.plans, attributes: stage.to.attributes, on: connection
          ).failures()
        })
      return (opening.version, stages)
    }
    self.init(url: url, version: version, stages: stages)
  }
}
