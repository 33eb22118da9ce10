import Foundation

/// The parts of a fetch descriptor that don't depend on the class of its models.
///
/// Code that is compiled once for all classes reads them here instead of from the descriptor: each read there looks the
/// type of the descriptor's predicate up at run time. Where the class is known, making a summary looks nothing up.
public struct _FetchSummary {
  /// The predicate's expression; nil without a predicate.
  @usableFromInline package let expression: (any StandardPredicateExpression<Bool>)?
  /// The predicate's variable; nil without a predicate.
  @usableFromInline package let variable: PredicateExpressions.VariableID?
  /// The number of sort descriptors.
  @usableFromInline package let sortCount: Int
  /// The maximum number of models; nil or 0 for all.
  @usableFromInline package let limit: Int?
  /// The number of models to skip.
  @usableFromInline package let offset: Int?
  @usableFromInline package let includesPendingChanges: Bool
  /// Whether all properties are loaded immediately.
  @usableFromInline package let isWhole: Bool
  /// Whether relationships are loaded immediately.
  @usableFromInline package let isPrefetching: Bool

  /// Creates the summary of a descriptor.
  @inlinable
  public init<T: PersistentModel>(_ descriptor: borrowing FetchDescriptor<T>) {
    if let predicate = descriptor.predicate {
      expression = predicate.expression
      variable = predicate.variable.key
    } else {
      expression = nil
      variable = nil
    }
    sortCount = descriptor.sortBy.count
    limit = descriptor.fetchLimit.map { max(0, $0) }
    offset = descriptor.fetchOffset.map { max(0, $0) }
    includesPendingChanges = descriptor.includePendingChanges
    isWhole = descriptor.propertiesToFetch.isEmpty
    isPrefetching = !descriptor.relationshipKeyPathsForPrefetching.isEmpty
  }
}
