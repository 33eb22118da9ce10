import SwiftDataCore

extension DefaultStore {
  /// Creates a store for the code of a migration's stage, on the migration's connection.
  convenience init(
    stage: MigrationStageConnection, _ connection: Connection, _ configuration: ModelConfiguration,
    _ version: PlannedVersion, location: StoreLocation
  ) throws {
    guard let identifier = try StoredSchema(connection)?.identifier else {
      throw StoreError(
        .damaged, path: location.path, explanation: "its metadata has no identifier; restore it")
    }
    var configuration = configuration
    configuration.schema = version.schema
    try self.init(
      Parts(
        configuration: configuration, schema: version.schema, plans: version.plans,
        location: location, attributes: version.attributes, identifier: identifier,
        hasSearchTables: false, isReadOnly: false, hashes: [:], stage: stage), writer: connection)
  }
}
