import Foundation
import SwiftDataCore

extension ModelConfiguration: RowStoreConfiguration {
  package var fileURL: URL? { isStoredInMemoryOnly ? nil : resolvedURL }

  package func joined(with other: any RowStoreConfiguration) -> ModelConfiguration? {
    guard var other = other as? ModelConfiguration, isNameDerived, other.isNameDerived,
      !isStoredInMemoryOnly
    else { return nil }
    var joint = self
    let schemas = [joint.schema, other.schema].compactMap { $0 }
    joint.schema = nil
    other.schema = nil
    guard joint == other else { return nil }
    // A configuration without a schema has all models of the container.
    guard schemas.count == 2 else { return joint }
    // A schema that is described by hand has no classes to join.
    guard schemas[0].version == schemas[1].version,
      schemas.allSatisfy({ $0.types.count == $0.entities.count })
    else { return nil }
    joint.schema = Schema(schemas[0].types + schemas[1].types, version: schemas[0].version)
    return joint
  }

  package func makeRowStore(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any RowStore {
    var configuration = self
    configuration.schema = schema
    return try DefaultStore(configuration, migrationPlan: migrationPlan)
  }
}
