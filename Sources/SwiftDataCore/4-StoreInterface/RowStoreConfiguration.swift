import Foundation

/// Describes a store that works with rows, which needs no adapter between it and the contexts.
package protocol RowStoreConfiguration: DataStoreConfiguration {
  /// The file that no other store of the container may have, with symbolic links resolved; nil for a store without one.
  var fileURL: URL? { get }
  /// Whether the program gave no name, so that another one than ``DataStoreConfiguration/name`` serves as well.
  var isNameDerived: Bool { get }

  /// Returns the same configuration under another name.
  func named(_ name: String) -> Self

  /// Returns a configuration with the models of both, when they describe one store; otherwise nil.
  func joined(with other: any RowStoreConfiguration) -> Self?

  /// Makes the store.
  ///
  /// - Parameters:
  ///   - schema: The models that the store holds; ``DataStoreConfiguration/schema`` is the same.
  ///   - migrationPlan: The plan for a store of an earlier version of the schema.
  func makeRowStore(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any RowStore
}

extension RowStoreConfiguration {
  package var isNameDerived: Bool { false }
  package func named(_ name: String) -> Self { self }
  package func joined(with other: any RowStoreConfiguration) -> Self? { nil }
}
