import Foundation
import SwiftDataCore

extension ModelContainer {
  /// A container for model classes, and those that their relationships reach.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens or makes the stores of `configurations`; without any, the default file.
  ///
  /// - Throws: ``SwiftDataError/duplicateConfiguration`` and the other errors of a configuration,
  ///   ``SchemaError`` for a class that can't be persisted, ``StoreError`` for a file that can't be used.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    let configurations = configurations.isEmpty ? [ModelConfiguration()] : configurations
    guard Set(configurations.map(\.name)).count == configurations.count,
      Set(configurations.map(\.url)).count == configurations.count
    else { throw SwiftDataError.duplicateConfiguration }
    let stores = try configurations.map { configuration in
      try configuration.validate()
      var configuration = configuration
      configuration.schema = try Self.schema(of: configuration, in: givenSchema)
      return try DefaultStore(configuration, migrationPlan: migrationPlan)
    }
    self.init(schema: givenSchema, migrationPlan: migrationPlan, stores: stores)
  }

  /// The spelling of the first beta.
  @available(*, deprecated, message: "Use init(for:configurations:).")
  public convenience init(
    _ forTypes: [any PersistentModel.Type], configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), configurations: configurations)
  }

  private static func schema(
    of configuration: ModelConfiguration, in container: Schema
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

  /// The configurations of the container's stores.
  public var configurations: Set<ModelConfiguration> {
    Set(core.stores.compactMap { ($0 as? DefaultStore)?.configuration })
  }

  /// The identifier of the store that the named configuration describes.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    core.stores.lazy.compactMap { $0 as? DefaultStore }.first { $0.name == name }?.identifier
  }

  /// The name of the configuration that describes the store.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    core.stores.lazy.compactMap { $0 as? DefaultStore }.first { $0.identifier == identifier }?.name
  }
}
