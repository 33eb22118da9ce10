import Foundation

/// Fetching while the context has unsaved changes: stored rows without the changed ones, plus the changed models that
/// match, merged in order, then offset and limit.
extension ModelContext {
  /// The number of pending models that fetches and look-ups have examined so far.
  package var pendingSteps: Int { pending.steps }

  func hasPendingChanges<T: PersistentModel>(of type: T.Type) -> Bool {
    if !pending.batchDeletions.isEmpty, batchDeletionsAffect(type) { return true }
    return pending.hasModels(of: type)
  }

  func fetchMerging<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ map: IdentityMap
  ) throws -> [T] {
    try loadBatchDeletions(concerning: T.self)
    let evaluation = descriptor.predicate.map(PredicateEvaluation.init)
    // A predicate that may fail has to be evaluated for every existing model, and for no other row.
    let key =
      evaluation?.isGuarded == true ? nil : descriptor.predicate.flatMap(PendingKey.init(of:))
    let candidates = pending.models(of: T.self, with: key)
    let query = try map.store.prepare(
      key == nil ? mergingRequest(descriptor, map) : keyedRequest(descriptor, map))
    var models: [T] = []
    try forEachModel(of: query, map) { (model: T) in
      if key == nil || !pending.outdatesRow(of: model, model._$modelState) { models.append(model) }
    }
    if !query.isFilterExact, let evaluation {
      MemoryFiltering.recordFetch(query.plan.name)
      models = try models.filter(evaluation.callAsFunction)
    }
    models += try candidates.filter { try evaluation?($0) ?? true }
    return cut(sorted(models, by: descriptor.sortBy), descriptor)
  }

  /// Returns the request for the stored rows without those of changed models, limited to as many as may be needed.
  func mergingRequest<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ map: IdentityMap
  ) -> StoreRequest<T> {
    var request = request(for: descriptor, map)
    request.excluded = pending.outdatedRows(of: T.self)
    request.offset = nil
    if let limit = descriptor.fetchLimit, limit > 0 {
      let (end, overflow) = limit.addingReportingOverflow(max(0, descriptor.fetchOffset ?? 0))
      request.limit = overflow ? nil : end
    } else {
      request.limit = nil
    }
    return request
  }

  /// Returns the request for the stored rows with the value that the predicate asks for, including those of changed
  /// models: excluding these by row ID would cost more than skipping the few that are returned.
  private func keyedRequest<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ map: IdentityMap
  ) -> StoreRequest<T> {
    var request = request(for: descriptor, map)
    request.offset = nil
    request.limit = nil
    return request
  }

  /// Returns the number of models that ``fetchMerging(_:_:)`` would return, counted by the store as far as possible;
  /// nil when the store can't count them.
  func countMerging<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ map: IdentityMap
  ) throws -> Int? {
    try loadBatchDeletions(concerning: T.self)
    let evaluation = descriptor.predicate.map(PredicateEvaluation.init)
    if evaluation?.isGuarded != true, descriptor.predicate.flatMap(PendingKey.init(of:)) != nil {
      return nil
    }
    var request = mergingRequest(descriptor, map)
    request.sortBy = []
    request.limit = nil
    request.purpose = .count
    let query = try map.store.prepare(request)
    guard query.isFilterExact else { return nil }
    let matching = try pending.models(of: T.self).filter { try evaluation?($0) ?? true }
    let all = try map.store.count(of: query) + matching.count
    let rest = max(0, all - max(0, descriptor.fetchOffset ?? 0))
    guard let limit = descriptor.fetchLimit, limit > 0 else { return rest }
    return min(rest, limit)
  }
}
