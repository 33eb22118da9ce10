/// Changes that a merge policy discarded in a save, for the next merge.
extension ContextMerger {
  /// Drops the changes that a merge policy discarded, so that they are read again when the save is done.
  ///
  /// - Returns: The changes that were written.
  func dropDiscardedChanges(
    _ discarded: DiscardedChanges, of changes: StoreChanges, in context: ModelContext
  ) -> StoreChanges {
    guard !discarded.isEmpty else { return changes }
    var written = changes
    for model in discarded.dropped + discarded.deletedInStore {
      written.updated.removeAll { $0 === model }
      context.pending.changed.remove(model)
      let state = model._$modelState
      state.flags.remove(.changed)
      state.changes = ChangeMask()
      state.discardCommittedCells()
      unloadChangedLists(of: model)
    }
    for model in discarded.deletedInStore { markDeleted(model, in: context) }
    removeLinks(of: discarded.deletedInStore, written.updated + written.inserted, in: context)
    for model in discarded.dropped + discarded.partial { deferMerge(model, in: context) }
    return written
  }

  /// Removes links to models whose rows are gone: immediately from to-one relationships of saved models; lists are read
  /// again from the store when the save is done.
  private func removeLinks(
    of deleted: [any PersistentModel], _ saved: [any PersistentModel], in context: ModelContext
  ) {
    guard !deleted.isEmpty else { return }
    for model in deleted { deferListMerges(around: model, in: context) }
    for model in saved {
      guard let plan = model._$modelState.plan else { continue }
      for index in plan.relationships where plan.properties[index].relationship?.isToMany == false {
        if case .one(let destination?) = model.links(at: index),
          destination._$modelState.flags.contains(.rowDeleted)
        {
          model.setLinks(.one(nil), at: index)
        }
      }
    }
  }

  private func unloadChangedLists(of model: any PersistentModel) {
    let state = model._$modelState
    let properties = state.linkChanges.map(\.property)
    state.linkChanges = []
    guard let plan = state.plan else { return }
    func open<Model: PersistentModel>(_ model: Model) {
      for index in properties { model.replace(index, plan) { $0._$clear(index) } }
    }
    open(model)
  }

  private func deferMerge(_ model: any PersistentModel, in context: ModelContext) {
    guard let plan = model._$modelState.plan else { return }
    deferred.insert(model._$modelState.rowID, of: plan, .all)
    deferListMerges(around: model, in: context)
  }

  private func deferListMerges(
    around model: any PersistentModel, in context: ModelContext
  ) {
    guard let plan = model._$modelState.plan else { return }
    deferred.linked.insert(plan.name)
    // The rows at the other ends have values that this context didn't write.
    for index in plan.relationships {
      guard let destination = plan.properties[index].relationship?.destination,
        let other = context.core.plan(of: destination)
      else { continue }
      deferred.linked.insert(other.name)
    }
  }
}
