import Foundation

/// Describes a store that works with rows, which needs no adapter between it and the contexts.
package protocol RowStoreConfiguration: DataStoreConfiguration {
  /// The file that no other store of the container may have, with symbolic links resolved; nil for a store without one.
  var fileURL: URL? { get }

  /// Makes the store.
  ///
  /// - Parameters:
  ///   - schema: The models that the store holds; ``DataStoreConfiguration/schema`` is the same.
  ///   - migrationPlan: The plan for a store of an earlier version of the schema.
  func makeRowStore(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any RowStore
}
