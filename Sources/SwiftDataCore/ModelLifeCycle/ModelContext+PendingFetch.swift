import Foundation

/// Fetching while the context has unsaved changes: stored rows without the changed ones, then the changed
/// models that fit, merged in order, then offset and limit.
extension ModelContext {
  func hasPendingChanges<T: PersistentModel>(of type: T.Type) -> Bool {
    guard !(inserted.isEmpty && changed.isEmpty && deleted.isEmpty) else { return false }
    return [inserted, changed, deleted].contains { pending in pending.models.contains { $0 is T } }
  }

  /// The types of the models with unsaved changes, and their superclasses: a relationship to one of
  /// those may lead to them.
  var changedTypes: Set<ObjectIdentifier> {
    var types: Set<ObjectIdentifier> = []
    for pending in [inserted, changed, deleted] where !pending.isEmpty {
      for model in pending.models {
        var next: (any PersistentModel.Type)? = type(of: model)
        while let type = next, types.insert(ObjectIdentifier(type)).inserted {
          next = ModelInheritance.superclass(of: type)
        }
      }
    }
    return types
  }

  func fetchMerging<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ map: IdentityMap
  ) throws -> [T] {
    let pending = (inserted.models + changed.models).compactMap { $0 as? T }
    let query = try map.store.prepare(mergingRequest(descriptor, map))
    var models: [T] = []
    try forEachModel(of: query, map) { models.append($0) }
    let evaluation = descriptor.predicate.map(PredicateEvaluation.init)
    if !query.isFilterExact, let evaluation {
      MemoryFiltering.note(query.plan.name)
      models = try models.filter(evaluation.callAsFunction)
    }
    models += try pending.filter { try evaluation?($0) ?? true }
    return cut(sorted(models, by: descriptor.sortBy), descriptor)
  }

  /// The stored rows without those of changed models, as many as may be needed.
  func mergingRequest<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ map: IdentityMap
  ) -> StoreRequest<T> {
    let models = (inserted.models + changed.models + deleted.models).compactMap { $0 as? T }
    var request = request(for: descriptor, map)
    request.excluded = models.map(\._$modelState.rowID).filter { $0 != 0 }
    request.offset = nil
    if let limit = descriptor.fetchLimit, limit > 0 {
      let (end, overflow) = limit.addingReportingOverflow(max(0, descriptor.fetchOffset ?? 0))
      request.limit = overflow ? nil : end
    } else {
      request.limit = nil
    }
    return request
  }
}
