import Foundation

extension ModelContainer {
  /// Opens the stores that `configurations` describe. They close with the container.
  ///
  /// - Throws: ``SwiftDataError/duplicateConfiguration`` for two configurations with one given name or one file, the
  ///   errors of their `validate` methods and of the stores' initializers, ``SchemaError`` for a class that can't be
  ///   persisted, ``SwiftDataError/loadIssueModelContainer`` for a class that leads to one of another configuration.
  package convenience init(
    opening configurations: [any DataStoreConfiguration], for schema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    let configurations = try Self.distinct(configurations)
    try Self.checkClasses(of: configurations, in: schema)
    let stores = try configurations.map { configuration in
      try Self.store(configuration, in: schema, migrationPlan)
    }
    self.init(schema: schema, migrationPlan: migrationPlan, stores: stores, ownsStores: true)
    joinRemoteChangePosting()
  }

  /// Joins configurations of one store, and numbers equal names that the program didn't give.
  ///
  /// - Throws: ``SwiftDataError/duplicateConfiguration`` for two with one given name or one file.
  private static func distinct(
    _ given: [any DataStoreConfiguration]
  ) throws -> [any DataStoreConfiguration] {
    guard given.count > 1 else { return given }
    var distinct: [any DataStoreConfiguration] = []
    for configuration in given where !join(configuration, into: &distinct) {
      distinct.append(configuration)
    }
    var names = try givenNames(in: distinct)
    try refuseFilesInCommon(in: distinct)
    return distinct.map { configuration in
      guard let derived = configuration as? any RowStoreConfiguration, derived.isNameDerived
      else { return configuration }
      var (name, number) = (derived.name, 1)
      while !names.insert(name).inserted {
        number += 1
        name = "\(derived.name) \(number)"
      }
      return number == 1 ? configuration : derived.named(name)
    }
  }

  /// Joins a configuration with one that describes the same store. Returns false when there is none.
  private static func join(
    _ configuration: any DataStoreConfiguration, into others: inout [any DataStoreConfiguration]
  ) -> Bool {
    guard let configuration = configuration as? any RowStoreConfiguration else { return false }
    for index in others.indices {
      guard let other = others[index] as? any RowStoreConfiguration,
        let joint = other.joined(with: configuration)
      else { continue }
      others[index] = joint
      return true
    }
    return false
  }

  private static func givenNames(
    in configurations: [any DataStoreConfiguration]
  ) throws -> Set<String> {
    var names: Set<String> = []
    for configuration in configurations
    where (configuration as? any RowStoreConfiguration)?.isNameDerived != true {
      guard names.insert(configuration.name).inserted else {
        throw SwiftDataError.duplicateConfiguration.explained(
          "Two configurations of the container have the name \"\(configuration.name)\". Give each its own."
        )
      }
    }
    return names
  }

  private static func refuseFilesInCommon(
    in configurations: [any DataStoreConfiguration]
  ) throws {
    var files: [URL: String] = [:]
    for configuration in configurations {
      guard let url = (configuration as? any RowStoreConfiguration)?.fileURL else { continue }
      guard let other = files.updateValue(configuration.name, forKey: url) else { continue }
      throw SwiftDataError.duplicateConfiguration.explained(
        "The configurations \"\(other)\" and \"\(configuration.name)\" have the same file, \(url.path)."
          + " Give each its own, or make one configuration of the models of both.")
    }
  }

  /// Finds the configuration of each class: the first that has it. Models lead to each other by row numbers, so a class
  /// must belong to the configuration of its superclass and of the classes that its relationships lead to.
  private static func checkClasses(
    of configurations: [any DataStoreConfiguration], in container: Schema
  ) throws {
    guard configurations.count > 1 else { return }
    var owners: [String: String] = [:]
    for configuration in configurations {
      let entities = try schema(of: configuration, in: container).entities
      var shared: [String: [String]] = [:]
      for entity in entities {
        if let owner = owners[entity.name] {
          shared[owner, default: []].append(entity.name)
        } else {
          owners[entity.name] = configuration.name
        }
      }
      for entity in entities where owners[entity.name] == configuration.name {
        let linked = entity.relationships.map(\.destination) + [entity.superentityName ?? ""]
        for name in linked {
          guard let owner = owners[name], owner != configuration.name else { continue }
          throw SwiftDataError.loadIssueModelContainer.explained(
            "\(entity.name) of the configuration \"\(configuration.name)\" leads to \(name), which belongs"
              + " to \"\(owner)\", the first configuration that has it. Name both in one configuration,"
              + " or place \"\(configuration.name)\" first.")
        }
      }
      for (owner, names) in shared.sorted(by: { $0.key < $1.key }) {
        SwiftDataLog.report(
          .warning, "ModelContainer",
          "the configuration \"\(configuration.name)\" has no part in \(names.joined(separator: ", "))"
            + " of the container: the models are read from \"\(owner)\", the first that has them,"
            + " and saved there")
      }
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
