import Foundation

/// A request for rows.
package struct StoreRequest<Model: PersistentModel> {
  package let plan: EntityPlan
  package var predicate: Predicate<Model>?
  package var sortBy: [SortDescriptor<Model>] = []
  package var limit: Int?
  package var offset: Int?
  /// Model types with changes in the context: related rows of these types differ from what the context has, so the
  /// store leaves parts of the request that depend on them to the caller.
  package var changed: Set<ObjectIdentifier> = []
  /// Rows to exclude, because the context has unsaved changes of them.
  package var excluded: [Int64] = []
  /// The context that makes the request.
  package var editingState = EditingState.unknown
  /// The relationships whose destinations are prefetched.
  package var relationshipKeyPathsForPrefetching: [PartialKeyPath<Model>] = []
  /// The purpose of the query.
  package var purpose = Purpose.models

  package enum Purpose: Sendable {
    case models, identifiers, count
  }
  /// The positions of the requested properties; nil for all.
  package var properties: [Int]?

  package init(plan: EntityPlan) { self.plan = plan }
}

/// A translated request.
package struct StoreQuery: Sendable {
  package let plan: EntityPlan
  /// Whether every row matches the predicate; otherwise the caller filters, sorts and cuts.
  package let isFilterExact: Bool
  /// Whether the rows are in the requested order; otherwise the caller sorts and cuts.
  package let isSortExact: Bool
  /// The positions of the properties whose columns the rows have, the others being NULL; nil for all.
  package let properties: [Int]?
  package let statement: any StoreStatement

  package init(
    plan: EntityPlan, isFilterExact: Bool, isSortExact: Bool, properties: [Int]? = nil,
    statement: any StoreStatement
  ) {
    self.plan = plan
    self.properties = properties
    self.isFilterExact = isFilterExact
    self.isSortExact = isSortExact
    self.statement = statement
  }
}

/// A store's own form of a query, which reads the rows.
package protocol StoreStatement: Sendable {
  /// Calls `body` with each row and the last commit that the rows are known to include.
  func forEachRow(_ body: (UInt64, RowView) throws -> Void) throws
  func rowIDs() throws -> [Int64]
  func count() throws -> Int
  /// The same query without models; nil for a store that isn't ``SnapshotReading``.
  var snapshots: (any SnapshotStatement)? { get }
  /// The same query with whole models; nil for a store that isn't a ``WholeModelStore``.
  var wholeModels: (any WholeModelStatement)? { get }
}

/// A query of a ``SnapshotReading`` store.
package protocol SnapshotStatement: StoreStatement {
  /// Calls `body` with the row ID of each row and a reader positioned at it.
  func forEachSnapshot(_ body: (Int64, inout _SnapshotReader) throws -> Void) throws
}

/// A query of a ``WholeModelStore``.
package protocol WholeModelStatement: StoreStatement {
  /// Calls `body` with each additional row, of any entity, that was read together with those of the
  /// query.
  func forEachRelatedRow(_ body: (UInt64, EntityRow) throws -> Void) throws
}

extension _FetchSummary {
  /// The summary of a request for whole models.
  package init<T: PersistentModel>(_ request: StoreRequest<T>) {
    expression = request.predicate?.expression
    variable = request.predicate?.variable.key
    sortCount = request.sortBy.count
    limit = request.limit
    offset = request.offset
    includesPendingChanges = true
    isWhole = true
    isPrefetching = !request.relationshipKeyPathsForPrefetching.isEmpty
  }
}
