import Foundation

/// Fetching while the context has unsaved changes: stored rows without the changed ones, plus the changed models that
/// match, merged in order, then offset and limit.
extension ModelContext {
  /// The number of pending models that fetches and look-ups have examined so far.
  package var pendingSteps: Int { inserted.steps + changed.steps + deleted.steps }

  func hasPendingChanges<T: PersistentModel>(of type: T.Type) -> Bool {
    if !batchDeletions.isEmpty, batchDeletionsAffect(type) { return true }
    guard !(inserted.isEmpty && changed.isEmpty && deleted.isEmpty) else { return false }
    return inserted.hasModels(of: type) || changed.hasModels(of: type)
      || deleted.hasModels(of: type)
  }

  /// The types of the models with unsaved changes, and their superclasses: a relationship to one of
  /// those may lead to them.
  var changedTypes: Set<ObjectIdentifier> {
    var found: Set<ObjectIdentifier> = []
    for type in inserted.types() + changed.types() + deleted.types() {
      var next: (any PersistentModel.Type)? = type
      while let type = next, found.insert(ObjectIdentifier(type)).inserted {
        next = ModelInheritance.superclass(of: type)
      }
    }
    return found
  }

  func fetchMerging<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ map: IdentityMap
  ) throws -> [T] {
    try loadBatchDeletions(concerning: T.self)
    let evaluation = descriptor.predicate.map(PredicateEvaluation.init)
    // A predicate that may fail has to be evaluated for every existing model, and for no other row.
    let key =
      evaluation?.isGuarded == true ? nil : descriptor.predicate.flatMap(PendingKey.init(of:))
    let pending =
      inserted.models(of: T.self, with: key) + changed.models(of: T.self, with: key)
    let query = try map.store.prepare(
      key == nil ? mergingRequest(descriptor, map) : keyedRequest(descriptor, map))
    var models: [T] = []
    try forEachModel(of: query, map) { (model: T) in
      if key == nil || !isPending(model) { models.append(model) }
    }
    if !query.isFilterExact, let evaluation {
      MemoryFiltering.recordFetch(query.plan.name)
      models = try models.filter(evaluation.callAsFunction)
    }
    models += try pending.filter { try evaluation?($0) ?? true }
    return cut(sorted(models, by: descriptor.sortBy), descriptor)
  }

  /// Whether the context has an unsaved change or deletion of a model, so that its row is outdated.
  private func isPending(_ model: some PersistentModel) -> Bool {
    let state = model._$modelState
    return changed.contains(model, state) || deleted.contains(model, state)
  }

  /// Returns the request for the stored rows without those of changed models, limited to as many as may be needed.
  func mergingRequest<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ map: IdentityMap
  ) -> StoreRequest<T> {
    var request = request(for: descriptor, map)
    request.excluded = (changed.models(of: T.self) + deleted.models(of: T.self))
      .map(\._$modelState.rowID).filter { $0 != 0 }
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
    let pending = try (inserted.models(of: T.self) + changed.models(of: T.self))
      .filter { try evaluation?($0) ?? true }
    let all = try map.store.count(of: query) + pending.count
    let rest = max(0, all - max(0, descriptor.fetchOffset ?? 0))
    guard let limit = descriptor.fetchLimit, limit > 0 else { return rest }
    return min(rest, limit)
  }
}
