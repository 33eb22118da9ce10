/// A list that was unloaded because its owner's row was read again, while its owner is observed. When the operation
/// under way is over, it is compared with the store: it is loaded again, or its observers are notified.
struct UnloadedList {
  let owner: any PersistentModel
  let property: Int
  /// The models in the list.
  let links: LoadedLinks
}

extension ModelContext {
  /// Unloads a list, or a to-one relationship without a column, of a model that is observed.
  func unloadObservedList<Model: PersistentModel>(
    of model: Model, _ index: Int, _ plan: EntityPlan
  ) {
    let links = model.links(at: index)
    model._$clear(index)
    // Observers of an unloaded list have been notified, and haven't read it since.
    if case .notLoaded = links { return }
    let list = UnloadedList(owner: model, property: index, links: links)
    if !operations.recordUnloading(of: list) { model.replace(index, plan) { _ in } }
  }

  /// Compares lists with those in the store. Observers of those that differ are notified; equal ones are loaded again,
  /// since observers that aren't notified don't read them, and have to be notified of the next change.
  func compare(_ lists: [UnloadedList]) {
    var groups: [ListKind: [UnloadedList]] = [:]
    for list in lists {
      let state = list.owner._$modelState
      guard state.context === self, !state.isDeleted, state.rowID != 0, let plan = state.plan
      else { continue }
      groups[ListKind(plan: ObjectIdentifier(plan), property: list.property), default: []]
        .append(list)
    }
    for lists in groups.values {
      for start in stride(from: 0, to: lists.count, by: FetchGroup.batch) {
        compareStored(lists[start..<min(start + FetchGroup.batch, lists.count)])
      }
    }
  }

  private struct ListKind: Hashable {
    let plan: ObjectIdentifier
    let property: Int
  }

  /// Does the same for lists of one property.
  private func compareStored(_ lists: ArraySlice<UnloadedList>) {
    guard let first = lists.first, let plan = first.owner._$modelState.plan,
      let entry = core.entry(named: plan.name)
    else { return }
    var stored: [Int64: [Int64]] = [:]
    do {
      try entry.store.forEachLinkedRow(
        of: plan, first.property, owners: Set(lists.map(\.owner._$modelState.rowID)).sorted()
      ) { _, owner, row in
        stored[owner, default: []].append(row.rowID)
      }
    } catch {
      // Reading the lists reports the error.
      for list in lists { notifyObservers(of: list, plan) }
      return
    }
    let isOrdered = plan.properties[first.property].relationship?.isOrdered == true
    for list in lists {
      let held = list.links.models?.map(\._$modelState.rowID) ?? []
      let now = stored[list.owner._$modelState.rowID] ?? []
      if isOrdered ? held == now : Set(held) == Set(now) {
        loadAgain(list)
      } else {
        notifyObservers(of: list, plan)
      }
    }
  }

  private func loadAgain(_ list: UnloadedList) {
    let (owner, index) = (list.owner, list.property)
    let state = owner._$modelState
    guard case .notLoaded = owner.links(at: index), !state.changes.contains(index),
      state.linkChanges(at: index) == nil
    else { return }
    switch list.links {
    case .notLoaded: return
    case .one(let model): owner.fillLinks(.one(model), at: index)
    case .many(let models): owner.fillLinks(.list(models), at: index)
    }
    // Their other end may have been read meanwhile.
    guard let inverse = state.relationship(at: index)?.inverse else { return }
    for model in list.links.models ?? [] { releaseDestination(model, inverse, towards: owner) }
  }

  private func notifyObservers(of list: UnloadedList, _ plan: EntityPlan) {
    func open<Model: PersistentModel>(_ model: Model) {
      model.replace(list.property, plan) { _ in }
    }
    open(list.owner)
  }
}
