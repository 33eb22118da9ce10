import SwiftDataCore

extension ModelContainer {
  /// Creates a container for model classes, and those that their relationships reach, in stores of any kind.
  ///
  /// - Parameters:
  ///   - forTypes: The classes.
  ///   - configurations: A description of each store; without any, the default file. Where two stores have the same
  ///     class, its models are read from the first and saved there.
  @_disfavoredOverload
  public convenience init(
    for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), configurations: configurations)
  }

  /// Creates the stores that `configurations` describe; without any, the default file.
  ///
  /// - Throws: ``SwiftDataError/duplicateConfiguration`` for two configurations with one given name or one file, the
  ///   errors of their `validate` methods and of the stores' initializers, ``SchemaError`` for a class that can't be
  ///   persisted, ``SwiftDataError/loadIssueModelContainer`` for a class that leads to one of another configuration.
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
    try self.init(opening: configurations, for: schema, migrationPlan: migrationPlan)
    if core.stores.count > 1 { reportIncompleteSaves() }
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
