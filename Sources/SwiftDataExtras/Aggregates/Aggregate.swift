import Foundation
import SwiftDataCore

/// One group with the aggregates computed for it.
public struct AggregateGroup<Key: Hashable, each Value> {
  /// The value that the models of the group have in common.
  public let key: Key
  /// The aggregates, as a tuple in the order in which they were requested.
  public let values: (repeat each Value)

  init(_ group: KeyedValues<Key, (repeat each Value)>) {
    key = group.key
    values = group.values
  }
}

extension AggregateGroup: Sendable where Key: Sendable, repeat each Value: Sendable {}

/// One value computed from many models; see ``ModelContext/aggregate(_:_:where:)``.
public struct Aggregate<Root: PersistentModel, Value> {
  let term: AggregateTerm
  let read: (inout AggregateRow) throws -> Value
  let evaluate: ([Root]) throws -> Value
}

extension Aggregate where Value == Int {
  /// The number of models.
  public static var count: Aggregate { .models() }

  /// The number of models whose value at the key path isn't nil.
  public static func count<Content>(_ keyPath: KeyPath<Root, Content?>) -> Aggregate {
    .values(keyPath)
  }
}

extension Aggregate {
  /// The sum of the values; 0 without values.
  public static func sum<Number: SummableValue>(_ keyPath: KeyPath<Root, Number>) -> Aggregate
  where Value == Number.Total { .total(keyPath, Number._total) }

  /// The mean of the values.
  public static func average<Number: SummableValue>(_ keyPath: KeyPath<Root, Number>) -> Aggregate
  where Value == Number.Average? { .total(keyPath, Number._average) }

  /// The smallest value.
  public static func minimum<Content: Comparable>(_ keyPath: KeyPath<Root, Content>) -> Aggregate
  where Value == Content? { .extreme(.minimum, keyPath) { $0 } }

  /// The smallest value that isn't nil.
  public static func minimum<Content: Comparable>(_ keyPath: KeyPath<Root, Content?>) -> Aggregate
  where Value == Content? { .extreme(.minimum, keyPath) { $0 } }

  /// The value with the smallest raw value, for a type without an order of its own.
  @_disfavoredOverload
  public static func minimum<Content: RawRepresentable>(
    _ keyPath: KeyPath<Root, Content>
  ) -> Aggregate where Value == Content?, Content.RawValue: Comparable {
    .extreme(.minimum, keyPath, isByRawValue: true) { $0 }
  }

  /// The same for an optional property.
  @_disfavoredOverload
  public static func minimum<Content: RawRepresentable>(
    _ keyPath: KeyPath<Root, Content?>
  ) -> Aggregate where Value == Content?, Content.RawValue: Comparable {
    .extreme(.minimum, keyPath, isByRawValue: true) { $0 }
  }

  /// The largest value.
  public static func maximum<Content: Comparable>(_ keyPath: KeyPath<Root, Content>) -> Aggregate
  where Value == Content? { .extreme(.maximum, keyPath) { $0 } }

  /// The largest value that isn't nil.
  public static func maximum<Content: Comparable>(_ keyPath: KeyPath<Root, Content?>) -> Aggregate
  where Value == Content? { .extreme(.maximum, keyPath) { $0 } }

  /// The value with the largest raw value, for a type without an order of its own.
  @_disfavoredOverload
  public static func maximum<Content: RawRepresentable>(
    _ keyPath: KeyPath<Root, Content>
  ) -> Aggregate where Value == Content?, Content.RawValue: Comparable {
    .extreme(.maximum, keyPath, isByRawValue: true) { $0 }
  }

  /// The same for an optional property.
  @_disfavoredOverload
  public static func maximum<Content: RawRepresentable>(
    _ keyPath: KeyPath<Root, Content?>
  ) -> Aggregate where Value == Content?, Content.RawValue: Comparable {
    .extreme(.maximum, keyPath, isByRawValue: true) { $0 }
  }
}

/// An order of groups; see ``ModelContext/groups(of:by:_:where:sortBy:limit:)``.
public struct AggregateOrder<Root: PersistentModel> {
  let direction: SortOrder
  /// The aggregate to order by; nil to order by the key.
  let aggregate: ErasedAggregate<Root>?

  /// Orders by the key, nil first.
  public static func key(_ direction: SortOrder = .forward) -> AggregateOrder {
    AggregateOrder(direction: direction, aggregate: nil)
  }

  /// Orders by an aggregate, the smallest first. It needn't be one of the requested aggregates.
  public static func ascending<Value>(_ aggregate: Aggregate<Root, Value>) -> AggregateOrder {
    AggregateOrder(direction: .forward, aggregate: ErasedAggregate(aggregate))
  }

  /// Orders by an aggregate, the largest first.
  public static func descending<Value>(_ aggregate: Aggregate<Root, Value>) -> AggregateOrder {
    AggregateOrder(direction: .reverse, aggregate: ErasedAggregate(aggregate))
  }
}

/// A number that can be summed: the integers of Swift, `Double`, `Float`, `Decimal`, and their optionals.
public protocol SummableValue {
  /// The type of a sum.
  associatedtype Total
  /// The type of a mean.
  associatedtype Average
  func _add(to total: inout _NumberTotal)
  static func _total(of total: _NumberTotal) throws -> Total
  static func _average(of total: _NumberTotal) -> Average?
}

extension SwiftDataError {
  /// The error of a sum that exceeds the range of its type.
  public static let aggregateOverflow = SwiftDataError.code(
    "aggregateOverflow", "The sum is more than its type can hold.")
}
