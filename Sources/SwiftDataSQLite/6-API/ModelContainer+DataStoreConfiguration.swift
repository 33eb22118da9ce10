import Foundation
import SwiftDataCore

extension ModelContainer {
  /// Creates a container for model classes, and those that their relationships reach, in stores of any kind.
  ///
  /// - Parameters:
  ///   - forTypes: The classes.
  ///   - configurations: A description of each store; without any, the default file. Where two stores have the same
  ///     class, its models go to the first.
  @_disfavoredOverload
  public convenience init(
    for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), configurations: configurations)
  }

  /// Creates the stores that `configurations` describe; without any, the default file.
  ///
  /// - Throws: ``SwiftDataError/duplicateConfiguration`` for two configurations with one name or file, the errors of
  ///   their `validate` methods and of the stores' initializers, ``SchemaError`` for a class that can't be persisted.
  @_disfavoredOverload
  public convenience init(
    for givenSchema: Schema, configurations: [any DataStoreConfiguration]
  ) throws {
    try self.init(
      for: givenSchema, migrationPlan: nil,
      describedBy: configurations.isEmpty ? [ModelConfiguration()] : configurations)
  }

  convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    describedBy configurations: [any DataStoreConfiguration]
  ) throws {
    try Self.refuseDuplicates(in: configurations)
    let stores = try configurations.map { configuration in
      try Self.store(configuration, in: schema, migrationPlan)
    }
    self.init(schema: schema, migrationPlan: migrationPlan, stores: stores, ownsStores: true)
    joinRemoteChangePosting()
    if stores.count > 1 { reportIncompleteSaves() }
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
      guard let url = (configuration as? ModelConfiguration)?.resolvedURL else { continue }
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
    // A default store works with rows and needs no adapter between it and the contexts.
    if let configuration = configuration as? ModelConfiguration {
      return try DefaultStore(configuration, migrationPlan: migrationPlan)
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

  /// The identifier of the store that the named configuration describes.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    core.stores.first { $0.configurationName == name }?.identifier
  }

  /// The name of the configuration that describes the store.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    core.stores.first { $0.identifier == identifier }?.configurationName
  }

  /// The configurations of the container's default stores, without stores of other kinds.
  ///
  /// Stores are opened when the container is created, and stay open. Assigning configurations only changes the value of
  /// this property; to open other files, create another container.
  public var configurations: Set<ModelConfiguration> {
    get {
      describedStores as? Set<ModelConfiguration>
        ?? Set(core.stores.compactMap { ($0 as? DefaultStore)?.configuration })
    }
    set { describedStores = newValue }
  }
}
