import Foundation
import SwiftDataCore

extension ModelConfiguration: RowStoreConfiguration {
  package var fileURL: URL? { resolvedURL }

  package func makeRowStore(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any RowStore {
    var configuration = self
    configuration.schema = schema
    return try DefaultStore(configuration, migrationPlan: migrationPlan)
  }
}
