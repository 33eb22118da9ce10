import Foundation

/// The description of a fetch: which models, in which order, and how many.
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable, Equatable {
  // Unchecked: key paths made by the compiler capture nothing, but `PartialKeyPath` isn't Sendable.

  /// The condition for the models; nil means all.
  public var predicate: Predicate<T>?
  /// The order, most important key first.
  public var sortBy: [SortDescriptor<T>]
  /// The maximum number of models to return.
  public var fetchLimit: Int?
  /// The number of models to skip.
  public var fetchOffset: Int?
  /// Whether the results include the context's unsaved changes.
  public var includePendingChanges = true
  /// The properties to load immediately; none means all. Other properties are loaded when they are
  /// first read.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships whose destinations are loaded immediately.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Creates a descriptor.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// Compares two descriptors. Predicates are compared by their content, as far as it can be
  /// described as text.
  public static func == (lhs: FetchDescriptor<T>, rhs: FetchDescriptor<T>) -> Bool {
    lhs.sortBy == rhs.sortBy && lhs.fetchLimit == rhs.fetchLimit
      && lhs.fetchOffset == rhs.fetchOffset
      && lhs.includePendingChanges == rhs.includePendingChanges
      && lhs.propertiesToFetch == rhs.propertiesToFetch
      && lhs.relationshipKeyPathsForPrefetching == rhs.relationshipKeyPathsForPrefetching
      && lhs.predicate.map(PredicateDigest.text(of:))
        == rhs.predicate.map(PredicateDigest.text(of:))
  }
}
