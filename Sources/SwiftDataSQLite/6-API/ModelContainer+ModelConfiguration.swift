import Foundation
import SwiftDataCore

extension ModelContainer {
  /// Creates a container for model classes, and those that their relationships reach.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Creates a container for a schema, with a store for each configuration.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens or creates the stores of `configurations`; without any, the default file.
  ///
  /// A class that two configurations have belongs to the first: its models are read from that store and saved there.
  /// Two without names, for one file and with the same settings are one store with the models of both.
  ///
  /// - Throws: ``SwiftDataError/duplicateConfiguration`` and the other errors of a configuration,
  ///   ``SchemaError`` for a class that can't be persisted, ``StoreError`` for a file that can't be used.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    try self.init(
      for: givenSchema, migrationPlan: migrationPlan,
      describedBy: configurations.isEmpty ? [ModelConfiguration()] : configurations)
  }

  /// The spelling of the first beta.
  @available(*, deprecated, message: "Use init(for:configurations:).")
  public convenience init(
    _ forTypes: [any PersistentModel.Type], configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), configurations: configurations)
  }
}
