import Foundation

/// What to fetch: which models, in which order, how many.
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable, Equatable {
  // Unchecked: key paths made by the compiler capture nothing, but `PartialKeyPath` isn't Sendable.

  /// Which models; nil means all.
  public var predicate: Predicate<T>?
  /// The order, most important key first.
  public var sortBy: [SortDescriptor<T>]
  /// At most so many models.
  public var fetchLimit: Int?
  /// So many models are left out at the beginning.
  public var fetchOffset: Int?
  /// Whether unsaved changes of the context take part.
  public var includePendingChanges = true
  /// The properties to load at once; none means all. Others load when they are first read.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships whose destinations are loaded at once.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// Predicates are compared by what they say, as far as their description tells.
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
