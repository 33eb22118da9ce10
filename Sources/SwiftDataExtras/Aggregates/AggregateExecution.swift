import Foundation
import SwiftDataCore

/// Computes aggregates: by the store, where it can and no unsaved changes take part, otherwise from the models.
struct AggregateExecution {
  let context: ModelContext

  func computed<Root: PersistentModel, Values>(
    _ predicate: Predicate<Root>?, _ aggregates: AggregateList<Root, Values>
  ) throws -> Values {
    var result: Values?
    let aggregation = StoreAggregation(terms: aggregates.terms, groupedBy: nil)
    let isAnswered = try queryStore(predicate, aggregation) { row in
      result = try aggregates.read(&row)
    }
    if isAnswered, let result { return result }
    let models = try context.fetch(FetchDescriptor(predicate: predicate))
    try check(aggregation, models)
    return try aggregates.evaluate(models)
  }

  /// - Returns: The keys and values of the groups, in order.
  func grouped<Root: PersistentModel, Key: Hashable, Values>(
    _ request: GroupRequest<Root, Key>, _ aggregates: AggregateList<Root, Values>
  ) throws -> [KeyedValues<Key, Values>] {
    let orders = request.order.compactMap(\.aggregate)
    var groups: [(key: Key, values: Values, order: [Any])] = []
    var keys: [StoredKey<Key>] = []
    var results: [(values: Values, order: [Any])] = []
    let aggregation = StoreAggregation(
      terms: aggregates.terms + orders.map(\.term), groupedBy: request.key)
    let isAnswered = try queryStore(request.predicate, aggregation) { row in
      keys.append(try StoredKey(&row, request.key))
      let values = try aggregates.read(&row)
      results.append((values, try orders.map { try $0.read(&row) }))
    }
    if isAnswered {
      for (key, result) in zip(try resolved(keys), results) {
        groups.append((key, result.values, result.order))
      }
    } else {
      for (key, models) in try membersByKey(request, aggregation) {
        let values = try aggregates.evaluate(models)
        groups.append((key, values, try orders.map { try $0.evaluate(models) }))
      }
    }
    groups.sort { request.isOrdered($0.key, $0.order, before: $1.key, $1.order) }
    let count = request.limit.map { max(0, $0) } ?? groups.count
    return groups.prefix(count).map { KeyedValues(key: $0.key, values: $0.values) }
  }

  /// Passes the store's answer to `body`; returns false when the models have to be fetched.
  private func queryStore<Root: PersistentModel>(
    _ predicate: Predicate<Root>?, _ aggregation: StoreAggregation,
    _ body: (inout AggregateRow) throws -> Void
  ) throws -> Bool {
    try context.aggregateStored(predicate, aggregation) { cells, plan in
      var row = AggregateRow(cells, plan)
      try body(&row)
    }
  }

  private func membersByKey<Root: PersistentModel, Key: Hashable>(
    _ request: GroupRequest<Root, Key>, _ aggregation: StoreAggregation
  ) throws -> [(Key, [Root])] {
    var members: [GroupIdentity<Key>: [Root]] = [:]
    let found = try context.fetch(FetchDescriptor(predicate: request.predicate))
    try check(aggregation, found)
    for model in found {
      members[GroupIdentity(key: model[keyPath: request.key]), default: []].append(model)
    }
    return members.map { ($0.key.key, $0.value) }
  }

  /// Refuses key paths that unwrap nil by force, which would end the process.
  private func check<Root: PersistentModel>(
    _ aggregation: StoreAggregation, _ models: [Root]
  ) throws {
    for keyPath in aggregation.terms.map(\.keyPath) + [aggregation.groupedBy] {
      guard let keyPath, let mayFail = ForcedPath.mayFail(keyPath) else { continue }
      if models.contains(where: mayFail) { throw SwiftDataError.forcedUnwrap(of: Root.self) }
    }
  }

  /// The keys with models in place of their row ids, from one request to the store for all of them.
  private func resolved<Key: Hashable>(_ keys: [StoredKey<Key>]) throws -> [Key] {
    guard let type = PropertyShape.unwrapped(Key.self).type as? any PersistentModel.Type else {
      return keys.compactMap(\.value)
    }
    func models<Model: PersistentModel>(_ type: Model.Type) throws -> [Key] {
      let (entity, models) = try context.modelsByRowID(keys.compactMap(\.rowID), as: type)
      return try keys.map { key in
        if let value = key.value { return value }
        guard let rowID = key.rowID, let model = models[rowID] as? Key else {
          throw RowDecodingError(
            entity: entity, column: "_id", expected: "the row of a relationship",
            found: "no row \(key.rowID ?? 0)")
        }
        return model
      }
    }
    return try models(type)
  }
}

/// The key of a group from a store's row: a value, or the row id of a model.
private struct StoredKey<Key: Hashable> {
  var value: Key?
  var rowID: Int64?

  init(_ row: inout AggregateRow, _ keyPath: AnyKeyPath) throws {
    let (wrapped, isOptional) = PropertyShape.unwrapped(Key.self)
    guard wrapped is any PersistentModel.Type else {
      value = .some(try row.value(Key.self, keyPath))
      return
    }
    rowID = try row.reference(keyPath)
    if rowID == nil, isOptional, let optional = Key.self as? any OptionalType.Type {
      value = optional.makeOptional(nil) as? Key
    }
  }
}
