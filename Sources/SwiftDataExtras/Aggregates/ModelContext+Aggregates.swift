import Foundation
import SwiftDataCore

/// Aggregates: values about many models, computed by the store without making a model. An addition to Apple's
/// interface.
///
///     let strong = #Predicate<Quake> { $0.magnitude >= 5 }
///     let average = try context.average(of: \Quake.depth, where: strong)
///     let (count, largest) = try context.aggregate(Quake.self, .count, .maximum(\.magnitude))
///     for group in try context.groups(of: Quake.self, by: \.alert, .count, .maximum(\.magnitude)) {
///       let (count, largest) = group.values
///     }
///
/// The result is that of a `fetch` and a loop over its models, unsaved changes and subclasses included. It comes from
/// one SQL statement when the store is SQLite, the context has no unsaved changes of the models concerned, and both the
/// predicate and the key paths can be expressed in SQL: persisted properties, members of composites, and both of these
/// behind to-one relationships. Otherwise the models are fetched.
///
/// nil isn't a value: it isn't counted, and an aggregate of no values is nil, a sum 0. NaN is a value, the largest:
/// sums and averages with it are NaN. Texts are in the order of `<`, values of other types in that of sorted fetches.
extension ModelContext {
  /// The number of models, as ``fetchCount(_:)`` returns it.
  ///
  /// - Parameters:
  ///   - type: The class; models of subclasses are counted too.
  ///   - predicate: The condition for the models; nil means all.
  /// - Throws: The same errors as ``fetch(_:)``.
  public func count<Root: PersistentModel>(
    of type: Root.Type, where predicate: Predicate<Root>? = nil
  ) throws -> Int {
    try fetchCount(FetchDescriptor(predicate: predicate))
  }

  /// The sum of a property; 0 without values. Integers of up to 32 bits add up to an `Int`, `Float` to a `Double`, all
  /// other types to themselves.
  ///
  /// - Parameters:
  ///   - keyPath: The property, or a member or property behind it.
  ///   - predicate: The condition for the models; nil means all.
  /// - Throws: ``SwiftDataError/aggregateOverflow`` for a sum that its type can't hold; otherwise the same errors as
  ///   ``fetch(_:)``.
  public func sum<Root: PersistentModel, Value: SummableValue>(
    of keyPath: KeyPath<Root, Value>, where predicate: Predicate<Root>? = nil
  ) throws -> Value.Total {
    try aggregate(Root.self, .sum(keyPath), where: predicate)
  }

  /// The mean of a property; nil without values. See ``sum(of:where:)`` for the parameters.
  public func average<Root: PersistentModel, Value: SummableValue>(
    of keyPath: KeyPath<Root, Value>, where predicate: Predicate<Root>? = nil
  ) throws -> Value.Average? {
    try aggregate(Root.self, .average(keyPath), where: predicate)
  }

  /// The smallest value of a property; nil without values. See ``sum(of:where:)`` for the parameters.
  public func minimum<Root: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<Root, Value>, where predicate: Predicate<Root>? = nil
  ) throws -> Value? {
    try aggregate(Root.self, .minimum(keyPath), where: predicate)
  }

  /// The smallest value of an optional property.
  public func minimum<Root: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<Root, Value?>, where predicate: Predicate<Root>? = nil
  ) throws -> Value? {
    try aggregate(Root.self, .minimum(keyPath), where: predicate)
  }

  /// The largest value of a property; nil without values. See ``sum(of:where:)`` for the parameters.
  public func maximum<Root: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<Root, Value>, where predicate: Predicate<Root>? = nil
  ) throws -> Value? {
    try aggregate(Root.self, .maximum(keyPath), where: predicate)
  }

  /// The largest value of an optional property.
  public func maximum<Root: PersistentModel, Value: Comparable>(
    of keyPath: KeyPath<Root, Value?>, where predicate: Predicate<Root>? = nil
  ) throws -> Value? {
    try aggregate(Root.self, .maximum(keyPath), where: predicate)
  }

  /// Computes several aggregates of the same models together.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - aggregates: The aggregates to compute: `.count`, `.average(\.magnitude)`, ….
  ///   - predicate: The condition for the models; nil means all.
  /// - Returns: The values, as a tuple in the same order.
  public func aggregate<Root: PersistentModel, each Value>(
    _ type: Root.Type, _ aggregates: repeat Aggregate<Root, each Value>,
    where predicate: Predicate<Root>? = nil
  ) throws -> (repeat each Value) {
    try AggregateExecution(context: self).computed(predicate, aggregateList(repeat each aggregates))
  }

  /// Computes aggregates of models in groups, one group for each value of a property that occurs.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - key: The property that the models of a group have in common: any property that can be compared, including nil,
  ///     or a to-one relationship, whose groups have the models themselves as keys.
  ///   - aggregates: The aggregates to compute for each group.
  ///   - predicate: The condition for the models; nil means all.
  ///   - order: The order of the groups; groups that it leaves equal, or all groups without an order, are in the order
  ///     of their keys.
  ///   - limit: The maximum number of groups to return, the first in that order.
  public func groups<Root: PersistentModel, Key: Hashable, each Value>(
    of type: Root.Type, by key: KeyPath<Root, Key>,
    _ aggregates: repeat Aggregate<Root, each Value>, where predicate: Predicate<Root>? = nil,
    sortBy order: [AggregateOrder<Root>] = [], limit: Int? = nil
  ) throws -> [AggregateGroup<Key, repeat each Value>] {
    let request = GroupRequest(key: key, predicate: predicate, order: order, limit: limit)
    var groups: [AggregateGroup<Key, repeat each Value>] = []
    for group in try AggregateExecution(context: self).grouped(
      request, aggregateList(repeat each aggregates))
    {
      groups.append(AggregateGroup(group))
    }
    return groups
  }
}
