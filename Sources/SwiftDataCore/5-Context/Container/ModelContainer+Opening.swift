import Foundation

extension ModelContainer {
  /// Opens the stores that `configurations` describe. They close with the container.
  ///
  /// - Throws: ``SwiftDataError/duplicateConfiguration`` for two configurations with one name or file, the errors of
  ///   their `validate` methods and of the stores' initializers, ``SchemaError`` for a class that can't be persisted.
  package convenience init(
    opening configurations: [any DataStoreConfiguration], for schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    try Self.refuseDuplicates(in: configurations)
    let stores = try configurations.map { configuration in
      try Self.store(configuration, in: schema, migrationPlan)
    }
    self.init(schema: schema, migrationPlan: migrationPlan, stores: stores, ownsStores: true)
    joinRemoteChangePosting()
  }

  private static func refuseDuplicates(in configurations: [any DataStoreConfiguration]) throws {
    guard configurations.count > 1 else { return }
    var names: Set<String> = []
    var files: [URL: String] = [:]
    for configuration in configurations {
      guard names.insert(configuration.name).inserted else {
        throw SwiftDataError.duplicateConfiguration.explained(
          "Two configurations of the container have the name \"\(configuration.name)\". Give each its own."
        )
      }
      guard let url = (configuration as? any RowStoreConfiguration)?.fileURL else { continue }
      guard let other = files.updateValue(configuration.name, forKey: url) else { continue }
      throw SwiftDataError.duplicateConfiguration.explained(
        "The configurations \"\(other)\" and \"\(configuration.name)\" have the same file, \(url.path)."
          + " Give each its own, or make one configuration of the models of both.")
    }
  }

  private static func store<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration, in container: Schema,
    _ migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any RowStore {
    try configuration.validate()
    var configuration = configuration
    let schema = try schema(of: configuration, in: container)
    configuration.schema = schema
    if let configuration = configuration as? any RowStoreConfiguration {
      return try configuration.makeRowStore(schema: schema, migrationPlan: migrationPlan)
    }
    return try CustomStoreAdapter<Configuration.Store>(
      configuration, schema: schema, migrationPlan: migrationPlan)
  }

  private static func schema(
    of configuration: some DataStoreConfiguration, in container: Schema
  ) throws -> Schema {
    guard let own = configuration.schema else { return container }
    let missing = own.entities.map(\.name).filter { container.entitiesByName[$0] == nil }
    guard missing.isEmpty else {
      throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.explained(
        "The configuration \(configuration.name) names \(missing.joined(separator: ", ")),"
          + " which the container's schema doesn't have.")
    }
    return own
  }
}
