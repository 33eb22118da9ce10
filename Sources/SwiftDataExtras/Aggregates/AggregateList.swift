import Foundation
import SwiftDataCore

/// A group before its values become a parameter pack.
struct KeyedValues<Key, Values> {
  let key: Key
  let values: Values
}

/// Several aggregates with their values in a tuple.
struct AggregateList<Root: PersistentModel, Values> {
  let terms: [AggregateTerm]
  let read: (inout AggregateRow) throws -> Values
  let evaluate: ([Root]) throws -> Values
}

/// The arguments of ``ModelContext/groups(of:by:_:where:sortBy:limit:)``.
struct GroupRequest<Root: PersistentModel, Key: Hashable> {
  let key: KeyPath<Root, Key>
  let predicate: Predicate<Root>?
  let order: [AggregateOrder<Root>]
  let limit: Int?

  /// Whether a group comes before another.
  ///
  /// - Parameters:
  ///   - values: The values of the aggregates that ``order`` names.
  func isOrdered(_ key: Key, _ values: [Any], before other: Key, _ others: [Any]) -> Bool {
    var position = 0
    for term in order {
      var result: ComparisonResult
      if term.aggregate == nil {
        result = ValueOrder.compare(key, other)
      } else {
        result = ValueOrder.compare(values[position], others[position])
        position += 1
      }
      if result == .orderedSame { continue }
      return result == (term.direction == .forward ? .orderedAscending : .orderedDescending)
    }
    return ValueOrder.compare(key, other) == .orderedAscending
  }
}
