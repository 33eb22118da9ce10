import Foundation

/// What a context needs of a store. Rows go through as cells, so that Core stays free of databases.
///
/// A store is shared by every context of its container and called from all of them at once.
package protocol ModelStore: AnyObject, StoreHistory, RowIdentifying {
  /// Unique to the store, stable as long as its file lives.
  var identifier: String { get }
  /// The name of the configuration that it was made from.
  var configurationName: String { get }
  /// The entities it holds.
  var plans: [EntityPlan] { get }
  var allowsSave: Bool { get }
  /// Whether the store deletes by predicate itself; otherwise a context loads the models and deletes each.
  var deletesByPredicate: Bool { get }
  /// Tells of every commit, as far as the store learns of it.
  var commits: StoreCommits { get }
  /// How far commits are known; nil for a store that can't tell which rows others changed.
  var position: StorePosition? { get }
  /// Looks whether another process has committed.
  func lookForCommits() throws
  /// No container uses the store any more: whatever looks for commits by itself ends before this returns.
  func stopWatching()
  /// Whether both models of a relationship are stored with it, so that both have to be written when it changes.
  var keepsBothEnds: Bool { get }
  /// Translates a request; the answer says what the caller has to do in memory.
  func prepare<Model: PersistentModel>(_ request: StoreRequest<Model>) throws -> StoreQuery

  /// The query of a fetch of whole models that the store has translated before, for a context without changes that
  /// concern it; nil when there is none.
  func reusedQuery<Model: PersistentModel>(
    for descriptor: FetchDescriptor<Model>, of plan: EntityPlan
  ) throws -> StoreQuery?

  /// A query for those of the rows `rowIDs` that exist, in any order.
  ///
  /// - Parameter properties: The positions of the properties to read; the columns of the others are NULL. nil for
  ///   all of them.
  func prepare(rowIDs: [Int64], of plan: EntityPlan, properties: [Int]?) throws -> StoreQuery

  /// Calls `body` with each row and the last commit that the rows are known to include.
  func forEachRow(of query: StoreQuery, _ body: (UInt64, StoredRow) throws -> Void) throws

  /// Calls `body` with each row, of whatever entity, that came along with those of a query.
  func forEachRelatedRow(
    of query: StoreQuery, _ body: (UInt64, StoreRow) throws -> Void) throws

  /// Whether ``forEachSnapshot(of:_:)`` works; otherwise values are taken from models.
  var readsSnapshots: Bool { get }

  /// Calls `body` with the row id of each row and a reader that stands at it.
  func forEachSnapshot(
    of query: StoreQuery, _ body: (Int64, inout _SnapshotReader) throws -> Void
  ) throws

  /// Calls `body` with the store as it is now. Nothing but the moment is to be used meanwhile.
  ///
  /// - Returns: False when the store has no such thing, and nothing was called.
  func withMoment(_ body: (any StoreMoment) throws -> Void) throws -> Bool

  func rowIDs(of query: StoreQuery) throws -> [Int64]
  func count(of query: StoreQuery) throws -> Int

  /// Computes aggregates of what `request` describes and calls `body` with each row of them, one a group: the key,
  /// when there are groups, then a cell a term. A total is the text of ``_NumberTotal/encoded``.
  ///
  /// - Returns: False when the store can't, and nothing was called.
  func aggregate<Model: PersistentModel>(
    _ request: StoreRequest<Model>, _ aggregation: StoreAggregation,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Void
  ) throws -> Bool

  /// Says how a request would be carried out; nil from a store that isn't SQL.
  func explain<Model: PersistentModel>(_ request: StoreRequest<Model>) throws -> StoreExplanation?

  /// Calls `body` with the row `rowID` of an entity, as ``forEachRow(of:_:)`` does; false when there is none.
  func withRow(
    _ rowID: Int64, of plan: EntityPlan,
    _ body: (UInt64, StoredRow) throws -> Void
  ) throws -> Bool

  /// Calls `body` with the generation, the owner's row id, the row id and the columns of each row that a
  /// relationship of some owners leads to. The relationship has no column in the owner's table.
  func forEachLinkedRow(
    of plan: EntityPlan, _ property: Int, owners: [Int64],
    _ body: (UInt64, Int64, StoredRow) throws -> Void
  ) throws

  /// The rows of an entity whose relationship, which nothing leads back from, leads to one of the rows
  /// `destinations`. A store that can't look for them says that there are none.
  func owners(
    of plan: EntityPlan, _ property: Int, destinations: [Int64]
  ) throws -> [Int64]

  /// Writes all of `changes` in one transaction, or nothing.
  ///
  /// - Parameter beforeCommit: Called when everything is written and only the commit is left; what it throws undoes all.
  ///   A store that doesn't ``preparesSaves`` calls it before it writes anything.
  func save(
    _ changes: StoreChanges, beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome

  /// Whether a save can stop between writing and committing, so that saves of other stores fit in there.
  var preparesSaves: Bool { get }

  /// The identifier under which other stores note that they were saved together with this one; nil for a store that
  /// keeps no such notes.
  var jointSaveIdentifier: String? { get }

  /// Removes every row.
  func erase() throws

  /// Deletes the rows that a request describes.
  func delete<Model: PersistentModel>(_ request: DataStoreBatchDeleteRequest<Model>) throws

  /// Whether the row of an identifier of the store is what the identifier itself says.
  var identifiesByRowID: Bool { get }

  /// A context begins to use the store.
  func initializeState(for editingState: EditingState)
  /// A context has gone.
  func invalidateState(for editingState: EditingState)
}

/// Who knows the rows of identifiers.
package protocol RowIdentifying: Sendable {
  /// The identifier of the row `rowID` of an entity.
  func identifier(rowID: Int64, entity: String) -> PersistentIdentifier
  /// What the identifiers of an entity's rows share; nil where they aren't made of row ids, or nothing is kept.
  func origin(of entity: String) -> PersistentIdentifier.Origin?
  /// The row of an identifier; nil when it isn't this store's.
  func rowID(for identifier: PersistentIdentifier) -> Int64?
}

extension RowIdentifying {
  package func origin(of entity: String) -> PersistentIdentifier.Origin? { nil }
}

/// A store whose rows have ids of their own is identified by them.
extension ModelStore {
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

  package func lookForCommits() throws {}

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
    of query: StoreQuery, _ body: (UInt64, StoreRow) throws -> Void
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

/// One row on its way from a store; the cells are valid during the call that passes it on.
@usableFromInline
package struct StoredRow {
  /// The plan of the row's own entity: of a subclass, perhaps, of the one that was asked for. The store keeps it.
  @inlinable package var plan: EntityPlan { planReference.takeUnretainedValue() }
  /// Held by hand: a plain reference to it would be retained for each row.
  @usableFromInline let planReference: Unmanaged<EntityPlan>
  @usableFromInline package let rowID: Int64
  /// The columns of `plan`.
  @usableFromInline package let cells: UnsafeBufferPointer<_Cell>
  /// What short texts among them may be looked for in.
  @usableFromInline let texts: UnsafeMutablePointer<RecentTexts>?

  @inlinable
  @inline(__always)
  package init(plan: EntityPlan, rowID: Int64, cells: UnsafeBufferPointer<_Cell>) {
    self.init(plan: .passUnretained(plan), rowID: rowID, cells: cells)
  }

  @inlinable
  @inline(__always)
  package init(
    plan: Unmanaged<EntityPlan>, rowID: Int64, cells: UnsafeBufferPointer<_Cell>,
    texts: UnsafeMutablePointer<RecentTexts>? = nil
  ) {
    planReference = plan
    self.texts = texts
    self.rowID = rowID
    self.cells = cells
  }

  func isOf(_ plan: EntityPlan) -> Bool {
    planReference.toOpaque() == Unmanaged.passUnretained(plan).toOpaque()
  }
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
  /// The context that asks.
  package var editingState = EditingState.unknown
  /// The relationships whose destinations are wanted at once.
  package var relationshipKeyPathsForPrefetching: [PartialKeyPath<Model>] = []
  /// What the answer is for.
  package var purpose = Purpose.models

  package enum Purpose: Sendable {
    case models, identifiers, count
  }
  /// The positions of the properties that are wanted; nil for all.
  package var properties: [Int]?

  package init(plan: EntityPlan) { self.plan = plan }
}

/// A translated request.
package struct StoreQuery: Sendable {
  package let plan: EntityPlan
  /// Whether every row passes the predicate; otherwise the caller filters, sorts and cuts.
  package let isFilterExact: Bool
  /// Whether the rows come in order; otherwise the caller sorts and cuts.
  package let isSortExact: Bool
  /// The positions of the properties whose columns the rows have, the others being NULL; nil for all.
  package let properties: [Int]?
  /// The store's own form.
  package let statement: any Sendable

  package init(
    plan: EntityPlan, isFilterExact: Bool, isSortExact: Bool, properties: [Int]? = nil,
    statement: any Sendable
  ) {
    self.plan = plan
    self.properties = properties
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
  /// Deletions by predicate, which come before everything else.
  package var batchDeletions: [any BatchDeletion] = []
  /// The context that saves, with its author.
  package var editingState = EditingState.unknown
  package var author: String? { editingState.author }
  /// What happens to models whose rows others have changed since they were read.
  package var mergePolicy = MergePolicy.deletionTrump
  /// What else is done in the transaction.
  package var companion: (any SaveCompanion)?
  /// What the save shares with those of other stores; nil for a save of one store.
  package var joint: JointSave?

  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && batchDeletions.isEmpty
  }
}

/// What was written.
package struct StoreSaveOutcome {
  package enum Insertion: Sendable {
    case inserted, updated, unchanged
  }
  /// The row of each inserted model in the order given, and what its insertion turned out to be.
  package var insertions: [(rowID: Int64, kind: Insertion)]
  package var generation: UInt64
  /// Rows that differ from what was handed in; registered models take them over.
  package var reregistered: [StoreRow] = []
  /// The place in the history behind the save; nil when nothing was written, or the store keeps none.
  package var historyToken: (any HistoryToken)?
  /// The rows, by entity, that deletions by predicate and their delete rules took.
  package var deletedRows: [String: [Int64]] = [:]
  /// What the merge policy gave up for what others had written.
  package var yielded = YieldedChanges()

  package init(insertions: [(rowID: Int64, kind: Insertion)], generation: UInt64) {
    self.insertions = insertions
    self.generation = generation
  }
}
