import Foundation
import SwiftDataCore
import SwiftDataSQL

extension ModelContainer {
  /// Reports the changes that opening a store on a server would make, without changing it.
  ///
  /// - Parameters:
  ///   - schema: The models, as for opening.
  ///   - migrationPlan: The plan, as for opening.
  ///   - configuration: The store.
  /// - Throws: The errors of opening for a store that can't be used, or that is no version of the plan.
  public static func migrationPreview(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configuration: PostgresConfiguration
  ) throws -> MigrationPreview {
    try configuration.validate()
    let schema = configuration.schema ?? schema
    let plans = try EntityPlan.plans(of: schema.types)
    let options = try configuration.options
    let address = "\(options.url.description), schema \(configuration.databaseSchema)"
    let cipher = try StoreCipher(plans, key: configuration.encryptionKey, address: address)
    let opening = try StoreOpening(configuration, schema, plans, cipher, migrationPlan)
    let connection = try PostgresConnection(options)
    let stages = try opening.preview(connection)
    return MigrationPreview(
      url: URL(string: options.url.description) ?? URL(fileURLWithPath: configuration.name),
      store: address, version: opening.version, stages: stages)
  }
}
