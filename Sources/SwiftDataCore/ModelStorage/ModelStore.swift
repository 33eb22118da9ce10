import Foundation

/// What a context needs of a store. Rows go through as cells, so that Core stays free of databases.
///
/// A store is shared by every context of its container and called from all of them at once.
package protocol ModelStore: AnyObject, Sendable {
  /// Unique to the store, stable as long as its file lives.
  var identifier: String { get }
  /// The entities it holds.
  var plans: [EntityPlan] { get }
  var allowsSave: Bool { get }
  /// Translates a request; the answer says what the caller has to do in memory.
  func prepare<Model: PersistentModel>(_ request: StoreRequest<Model>) throws -> StoreQuery

  /// Calls `body` with the row id and the cells of each row; the cells are valid during the call only.
  /// The first argument is the last commit that the rows are known to include.
  func forEachRow(
    of query: StoreQuery, _ body: (UInt64, Int64, UnsafeBufferPointer<_Cell>) throws -> Void) throws

  func rowIDs(of query: StoreQuery) throws -> [Int64]
  func count(of query: StoreQuery) throws -> Int

  /// Calls `body` with the row `rowID` of an entity, as ``forEachRow(of:_:)`` does; false when there is none.
  func withRow(
    _ rowID: Int64, of plan: EntityPlan,
    _ body: (UInt64, UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws -> Bool

  /// Writes all of `changes` in one transaction, or nothing.
  /// Calls `body` with the generation, the row id and the columns of each of some rows of an entity.
  func forEachRow(
    of plan: EntityPlan, rowIDs: [Int64],
    _ body: (UInt64, Int64, UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws

  /// Calls `body` with the generation, the owner's row id, the row id and the columns of each row that a
  /// relationship of some owners leads to. The relationship has no column in the owner's table.
  func forEachLinkedRow(
    of plan: EntityPlan, _ property: Int, owners: [Int64],
    _ body: (UInt64, Int64, Int64, UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws

  func save(_ changes: StoreChanges) throws -> StoreSaveOutcome

  /// Removes every row.
  func erase() throws
}

/// What to read.
package struct StoreRequest<Model: PersistentModel> {
  package let plan: EntityPlan
  package var predicate: Predicate<Model>?
  package var sortBy: [SortDescriptor<Model>] = []
  package var limit: Int?
  package var offset: Int?
  /// Model types with changes in the context: rows of theirs that a relationship leads to are not what
  /// the context has, so the store leaves such parts to the caller.
  package var changed: Set<ObjectIdentifier> = []
  /// Rows to leave out, because the context has changes of its own for them.
  package var excluded: [Int64] = []

  package init(plan: EntityPlan) { self.plan = plan }
}

/// A translated request.
package struct StoreQuery: Sendable {
  package let plan: EntityPlan
  /// Whether every row passes the predicate; otherwise the caller filters, sorts and cuts.
  package let isFilterExact: Bool
  /// Whether the rows come in order; otherwise the caller sorts and cuts.
  package let isSortExact: Bool
  /// The store's own form.
  package let statement: any Sendable

  package init(
    plan: EntityPlan, isFilterExact: Bool, isSortExact: Bool, statement: any Sendable
  ) {
    self.plan = plan
    self.isFilterExact = isFilterExact
    self.isSortExact = isSortExact
    self.statement = statement
  }
}

/// What to write. The models are read during the call only, in their context's isolation.
package struct StoreChanges {
  package var inserted: [any PersistentModel] = []
  package var updated: [any PersistentModel] = []
  package var deleted: [any PersistentModel] = []
  package var author: String?
}

/// What was written.
package struct StoreSaveOutcome {
  package enum Insertion: Sendable {
    case inserted, updated, unchanged
  }
  /// The row of each inserted model in the order given, and what its insertion turned out to be.
  package var insertions: [(rowID: Int64, kind: Insertion)]
  package var generation: UInt64

  package init(insertions: [(rowID: Int64, kind: Insertion)], generation: UInt64) {
    self.insertions = insertions
    self.generation = generation
  }
}
