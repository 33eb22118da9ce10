/// Relationships without a column of their own follow the changes of others to the rows at the other end.
extension ContextMerger {
  /// Unloads the lists to some entities that differ from the store; reading a list loads it again.
  ///
  /// - Throws: The first error, after all other lists have been compared.
  func mergeLists(of entities: Set<String>, in context: ModelContext) throws {
    var failure: (any Error)?
    for store in context.core.capabilities {
      for plan in store.plans {
        for index in plan.relationships where isAffected(plan, index, entities, in: context) {
          do { try mergeLists(of: plan, index, of: store.store, entities, in: context) } catch {
            failure = failure ?? error
          }
        }
      }
    }
    if let failure { throw failure }
  }

  private func isAffected(
    _ plan: EntityPlan, _ index: Int, _ entities: Set<String>, in context: ModelContext
  ) -> Bool {
    guard let relationship = plan.properties[index].relationship, relationship.storage != .column
    else { return false }
    return entities.contains { name in
      guard let other = context.core.entry(named: name)?.plan else { return false }
      return ModelInheritance.isClass(other.type, orSubclassOf: relationship.destination)
    }
  }

  private func mergeLists(
    of plan: EntityPlan, _ index: Int, of store: any RowStore, _ entities: Set<String>,
    in context: ModelContext
  ) throws {
    var loaded: [any PersistentModel] = []
    for model in context.link.rowIDMaps[plan.table]?.registered ?? [] {
      let state = model._$modelState
      guard state.plan === plan, !state.isDeleted, state.rowID != 0 else { continue }
      // A list with unsaved changes counts as loaded too, even if it was never read.
      if state.changes.contains(index) {
        deferred.linked.formUnion(entities)
        continue
      }
      // Saved changes that were not merged with the list yet: nobody has read it since.
      if state.linkChanges(at: index) != nil { _ = context.destinations(of: model, index) }
      if case .notLoaded = model.links(at: index) { continue }
      loaded.append(model)
    }
    for start in stride(from: 0, to: loaded.count, by: FetchGroup.batch) {
      let owners = Array(loaded[start..<min(start + FetchGroup.batch, loaded.count)])
      var stored: [Int64: [Int64]] = [:]
      try store.forEachLinkedRow(
        of: plan, index, owners: owners.map(\._$modelState.rowID)
      ) { _, owner, row in
        stored[owner, default: []].append(row.rowID)
      }
      for owner in owners { compare(owner, index, plan, stored[owner._$modelState.rowID] ?? []) }
    }
  }

  private func compare(
    _ model: any PersistentModel, _ index: Int, _ plan: EntityPlan, _ stored: [Int64]
  ) {
    guard let held = model.links(at: index).models?.map(\._$modelState.rowID) else { return }
    let isOrdered = plan.properties[index].relationship?.isOrdered == true
    guard isOrdered ? held != stored : Set(held) != Set(stored) else { return }
    func open<Model: PersistentModel>(_ model: Model) {
      model.replace(index, plan) { $0._$clear(index) }
    }
    open(model)
  }
}
