import Foundation

/// The interface of a store for contexts. Rows are passed as cells, so that Core stays independent of databases.
///
/// A store is shared by every context of its container and called from all of them concurrently.
package protocol RowStore: AnyObject, StoreHistory, RowIdentifying {
  /// Unique to the store, stable as long as its file lives.
  var identifier: String { get }
  /// The name of the configuration that it was made from.
  var configurationName: String { get }
  /// The entities it holds.
  var plans: [EntityPlan] { get }
  var allowsSave: Bool { get }
  /// Whether the store deletes by predicate itself; otherwise a context loads the models and deletes each.
  var deletesByPredicate: Bool { get }
  /// Announces every commit, as far as the store learns of it.
  var commits: StoreCommits { get }
  /// The position up to which commits are known; nil for a store that can't report which rows others changed.
  var position: StorePosition? { get }
  /// Checks whether another process has committed.
  func checkForCommits() throws
  /// Called when no container uses the store any more: background checks for commits have ended when this returns.
  func stopWatching()
  /// Whether both ends of a relationship are stored, so that both models have to be written when it changes.
  var keepsBothEnds: Bool { get }
  /// Translates a request; the query describes the parts that the caller must do in memory.
  func prepare<Model: PersistentModel>(_ request: StoreRequest<Model>) throws -> StoreQuery

  /// Returns the translated query of an earlier fetch of whole models, for a context without relevant unsaved changes;
  /// nil when there is none.
  func reusedQuery<Model: PersistentModel>(
    for descriptor: FetchDescriptor<Model>, of plan: EntityPlan
  ) throws -> StoreQuery?

  /// Returns a query for those of the rows `rowIDs` that exist, in any order.
  ///
  /// - Parameter properties: The positions of the properties to read; the columns of the others are NULL. nil for all
  ///   of them.
  func prepare(rowIDs: [Int64], of plan: EntityPlan, properties: [Int]?) throws -> StoreQuery

  /// Calls `body` with each row and the last commit that the rows are known to include.
  func forEachRow(of query: StoreQuery, _ body: (UInt64, RowView) throws -> Void) throws

  /// Calls `body` with each additional row, of any entity, that was read together with those of a query.
  func forEachRelatedRow(
    of query: StoreQuery, _ body: (UInt64, EntityRow) throws -> Void) throws

  /// Whether ``forEachSnapshot(of:_:)`` works; otherwise values are taken from models.
  var readsSnapshots: Bool { get }

  /// Calls `body` with the row ID of each row and a reader positioned at it.
  func forEachSnapshot(
    of query: StoreQuery, _ body: (Int64, inout _SnapshotReader) throws -> Void
  ) throws

  /// Calls `body` with a view of the store's present state. Only that view may be used meanwhile.
  ///
  /// - Returns: False when the store doesn't support this, and `body` wasn't called.
  func withReadTransaction(_ body: (any ReadTransaction) throws -> Void) throws -> Bool

  func rowIDs(of query: StoreQuery) throws -> [Int64]
  func count(of query: StoreQuery) throws -> Int

  /// Computes aggregates over the rows of `request` and calls `body` with each result row, one per group: the key, when
  /// there are groups, then one cell per term. A total is the text of ``_NumberTotal/encoded``.
  ///
  /// - Returns: False when the store can't, and `body` wasn't called.
  func aggregate<Model: PersistentModel>(
    _ request: StoreRequest<Model>, _ aggregation: StoreAggregation,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws -> Bool

  /// Explains how a request would be carried out; nil from a store that isn't SQL.
  func explain<Model: PersistentModel>(_ request: StoreRequest<Model>) throws -> StoreExplanation?

  /// Calls `body` with the row `rowID` of an entity, as ``forEachRow(of:_:)`` does; returns false when there is no such
  /// row.
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

  /// Returns the rows of an entity whose relationship leads to one of the rows `destinations`. A store that can't look
  /// for them returns none.
  func owners(
    of plan: EntityPlan, _ property: Int, destinations: [Int64]
  ) throws -> [Int64]

  /// Writes all of `changes` in one transaction, or nothing.
  ///
  /// - Parameter beforeCommit: Called when everything is written and only the commit is left; an error that it throws
  ///   undoes all writes. A store whose ``preparesSaves`` is false calls it before it writes anything.
  func save(
    _ changes: StoreChanges, beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome

  /// Whether a save can pause between writing and committing, so that saves of other stores can run in between.
  var preparesSaves: Bool { get }

  /// The identifier under which other stores record that they were saved together with this one; nil for a store that
  /// keeps no such records.
  var jointSaveIdentifier: String? { get }

  /// Removes every row.
  func erase() throws

  /// Deletes the rows that a request describes.
  func delete<Model: PersistentModel>(_ request: DataStoreBatchDeleteRequest<Model>) throws

  /// Whether the store's identifiers contain the row IDs themselves.
  var identifiesByRowID: Bool { get }

  /// Called when a context begins to use the store.
  func initializeState(for editingState: EditingState)
  /// Called when a context has been released.
  func invalidateState(for editingState: EditingState)
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
  package var deletesByPredicate: Bool { true }

  package var keepsBothEnds: Bool { false }

  package var preparesSaves: Bool { false }

  package var jointSaveIdentifier: String? { nil }

  package var position: StorePosition? { nil }

  package func aggregate<Model: PersistentModel>(
    _ request: StoreRequest<Model>, _ aggregation: StoreAggregation,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws -> Bool { false }

  package func explain<Model: PersistentModel>(
    _ request: StoreRequest<Model>
  ) throws -> StoreExplanation? { nil }

  package func checkForCommits() throws {}

  package func stopWatching() {}

  package func reusedQuery<Model: PersistentModel>(
    for descriptor: FetchDescriptor<Model>, of plan: EntityPlan
  ) throws -> StoreQuery? { nil }

  package func identifier(rowID: Int64, entity: String) -> PersistentIdentifier {
    if let origin = origin(of: entity) { return PersistentIdentifier(origin, rowID: rowID) }
    return PersistentIdentifier(
      storeIdentifier: identifier, entityName: entity, key: .row(rowID))
  }

  package func forEachRelatedRow(
    of query: StoreQuery, _ body: (UInt64, EntityRow) throws -> Void
  ) throws {}

  package func owners(
    of plan: EntityPlan, _ property: Int, destinations: [Int64]
  ) throws -> [Int64] { [] }

  package var readsSnapshots: Bool { false }

  package func forEachSnapshot(
    of query: StoreQuery, _ body: (Int64, inout _SnapshotReader) throws -> Void
  ) throws {}

  package var identifiesByRowID: Bool { true }

  package func rowID(for identifier: PersistentIdentifier) -> Int64? {
    identifier.storeIdentifier == self.identifier ? identifier.rowID : nil
  }
}
