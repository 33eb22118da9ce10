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
  /// The store's own representation.
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
