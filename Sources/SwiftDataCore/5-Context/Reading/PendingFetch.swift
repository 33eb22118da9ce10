import Foundation

/// A fetch while the context has unsaved changes: stored rows without the changed ones, plus the changed models that
/// match, merged in order, then offset and limit.
struct PendingFetch<Model: PersistentModel> {
  private let context: ModelContext
  private let descriptor: FetchDescriptor<Model>
  private let map: IdentityMap
  private let evaluation: PredicateEvaluation<Model>?

  /// - Throws: The errors of deletions by predicate, which become deletions of models first.
  init(
    _ descriptor: FetchDescriptor<Model>, _ map: IdentityMap, in context: ModelContext
  ) throws {
    self.context = context
    self.descriptor = descriptor
    self.map = map
    try context.loadBatchDeletions(concerning: Model.self)
    evaluation = descriptor.predicate.map(PredicateEvaluation.init)
  }

  /// Fetches the models.
  func models() throws -> [Model] {
    // A predicate that may fail has to be evaluated for every existing model, and for no other row.
    let key =
      evaluation?.isGuarded == true ? nil : descriptor.predicate.flatMap(PendingKey.init(of:))
    let candidates = context.pending.models(of: Model.self, with: key)
    let query = try map.store.prepare(
      key == nil ? Self.request(descriptor, map, in: context) : keyedRequest())
    var models: [Model] = []
    try context.forEachModel(of: query, map) { (model: Model) in
      if key == nil || !context.pending.outdatesRow(of: model, model._$modelState) {
        models.append(model)
      }
    }
    // As in `finish`.
    context.catchUp()
    if !query.isFilterExact, let evaluation {
      MemoryFiltering.recordFetch(query.plan.name)
      models = try models.filter(evaluation.callAsFunction)
    }
    models += try candidates.filter { try evaluation?($0) ?? true }
    return context.cut(try context.sorted(models, by: descriptor.sortBy), descriptor)
  }

  /// Returns the request for the stored rows without those of changed models, limited to as many as may be needed.
  static func request(
    _ descriptor: FetchDescriptor<Model>, _ map: IdentityMap, in context: ModelContext
  ) -> StoreRequest<Model> {
    var request = context.request(for: descriptor, map)
    request.excluded = context.pending.outdatedRows(of: Model.self)
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
  private func keyedRequest() -> StoreRequest<Model> {
    var request = context.request(for: descriptor, map)
    request.offset = nil
    request.limit = nil
    return request
  }

  /// Returns the number of models that ``models()`` would return, counted by the store as far as possible; nil when the
  /// store can't count them.
  func count() throws -> Int? {
    if evaluation?.isGuarded != true, descriptor.predicate.flatMap(PendingKey.init(of:)) != nil {
      return nil
    }
    var request = Self.request(descriptor, map, in: context)
    request.sortBy = []
    request.limit = nil
    request.purpose = .count
    let query = try map.store.prepare(request)
    guard query.isFilterExact else { return nil }
    context.catchUp()
    let matching = try context.pending.models(of: Model.self)
      .filter { try evaluation?($0) ?? true }
    let all = try query.statement.count() + matching.count
    let rest = max(0, all - max(0, descriptor.fetchOffset ?? 0))
    guard let limit = descriptor.fetchLimit, limit > 0 else { return rest }
    return min(rest, limit)
  }
}
