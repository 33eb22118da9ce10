import Foundation

/// The interface of a store for contexts. Rows are passed as cells, so that Core stays independent of databases.
///
/// A store is shared by every context of its container and called from all of them concurrently. Capabilities of
/// some stores have protocols of their own, see ``StoreCapabilities``.
package protocol RowStore: AnyObject, RowIdentifying {
  /// Unique to the store, stable as long as its file lives.
  var identifier: String { get }
  /// The name of the configuration that it was made from.
  var configurationName: String { get }
  /// The entities it holds.
  var plans: [EntityPlan] { get }
  /// Announces every commit, as far as the store learns of it.
  var commits: StoreCommits { get }

  /// Translates a request; the query describes the parts that the caller must do in memory.
  func prepare<Model: PersistentModel>(_ request: StoreRequest<Model>) throws -> StoreQuery

  /// Returns a query for those of the rows `rowIDs` that exist, in any order.
  ///
  /// - Parameter properties: The positions of the properties to read; the columns of the others are NULL. nil for all
  ///   of them.
  func prepare(rowIDs: [Int64], of plan: EntityPlan, properties: [Int]?) throws -> StoreQuery

  /// Calls `body` with the row `rowID` of an entity, as ``StoreStatement/forEachRow(_:)`` does;
  /// returns false when there is no such row.
  func withRow(
    _ rowID: Int64, of plan: EntityPlan,
    _ body: (UInt64, RowView) throws -> Void
  ) throws -> Bool

  /// Calls `body` with the generation, the owner's row ID, the row ID and the columns of each row that a relationship
  /// of some owners leads to. The relationship has no column in the owner's table.
  func forEachLinkedRow(
    of plan: EntityPlan, _ property: Int, owners: [Int64],
    _ body: (UInt64, Int64, RowView) throws -> Void
  ) throws

  /// Writes all of `changes` in one transaction, or nothing.
  ///
  /// - Parameter beforeCommit: Called when everything is written and only the commit is left; an error that it throws
  ///   undoes all writes. A store that isn't ``PreparedSaving`` calls it before it writes anything.
  func save(
    _ changes: StoreChanges, beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome

  /// Removes every row.
  func erase() throws
}

/// Maps persistent identifiers to row IDs.
package protocol RowIdentifying: Sendable {
  /// Returns the identifier of the row `rowID` of an entity.
  func identifier(rowID: Int64, entity: String) -> PersistentIdentifier
  /// Returns the part that the identifiers of an entity's rows share; nil where they aren't made of row IDs, or the
  /// part isn't cached.
  func origin(of entity: String) -> PersistentIdentifier.Origin?
  /// Returns the row ID of an identifier; nil when it isn't this store's.
  func rowID(for identifier: PersistentIdentifier) -> Int64?
}

extension RowIdentifying {
  package func origin(of entity: String) -> PersistentIdentifier.Origin? { nil }
}

/// The defaults are those of a store with row IDs, which identify its models.
extension RowStore {
  package func identifier(rowID: Int64, entity: String) -> PersistentIdentifier {
    if let origin = origin(of: entity) { return PersistentIdentifier(origin, rowID: rowID) }
    return PersistentIdentifier(
      storeIdentifier: identifier, entityName: entity, key: .row(rowID))
  }

  package func rowID(for identifier: PersistentIdentifier) -> Int64? {
    identifier.storeIdentifier == self.identifier ? identifier.rowID : nil
  }
}
