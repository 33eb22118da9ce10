import Dispatch
import Foundation

extension ModelContext {
  /// Takes over the changes of a transaction of the history, by any author: models without changes of their own get
  /// the values that their rows have now, and those whose rows are gone become deleted ones. Observers are notified of
  /// the properties that differ. An addition to Apple's interface; it isn't needed while ``mergesChangesAutomatically``
  /// is true.
  ///
  /// - Throws: The store's error when it can't be read.
  public func mergeChanges(from transaction: DefaultHistoryTransaction) throws {
    guard let store = core.stores.first(where: { $0.identifier == transaction.storeIdentifier })
    else { return }
    var rows = RowsToMerge()
    for change in transaction.changes {
      let identifier = change.changedPersistentIdentifier
      guard let plan = core.entry(named: identifier.entityName)?.plan,
        let rowID = store.rowID(for: identifier)
      else { continue }
      var properties: [Int]?
      if case .update(let update) = change { properties = Self.properties(of: update, plan) }
      rows.insert(
        ChangedRows(
          transaction: transaction.transactionIdentifier, plan: plan, rowIDs: rowID...rowID,
          properties: properties),
        registered: link.rowIDMaps[plan.table])
    }
    try merge(rows)
  }

  /// Takes over the changes that a notification reports: a ``didSave`` of another context of the same container, or a
  /// ``ModelContainer/remoteChange``, which brings the models up to the present. Other notifications have no effect.
  ///
  /// - Throws: The store's error when it can't be read.
  public func mergeChanges(from notification: Notification) throws {
    if notification.name == ModelContainer.remoteChangeName {
      return try mergeCommits()
    }
    guard notification.name == Self.didSave, notification.object as? ModelContext !== self else {
      return
    }
    var rows = RowsToMerge()
    for key in [
      NotificationKey.insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers,
    ] {
      for identifier in notification.userInfo?[key.rawValue] as? [PersistentIdentifier] ?? [] {
        guard let entry = core.entry(named: identifier.entityName),
          let rowID = entry.store.rowID(for: identifier)
        else { continue }
        rows.insert(
          ChangedRows(
            transaction: 0, plan: entry.plan, rowIDs: rowID...rowID, properties: nil),
          registered: link.rowIDMaps[entry.plan.table])
      }
    }
    try merge(rows)
  }

  private static func properties<Update: HistoryUpdate>(
    of update: Update, _ plan: EntityPlan
  ) -> [Int] {
    update.updatedAttributes.compactMap { plan.property(for: $0 as AnyKeyPath) }
  }

  // MARK: - Automatic merging

  func followCommitsOnMainActor() {
    merging.isolation = .mainActor
    resumeFollowing()
  }

  /// Called by the executor of a model actor on `queue`, which runs its jobs.
  func beginFollowing(on queue: DispatchQueue) {
    merging.isolation = .queue(queue)
    resumeFollowing()
    // Merges earlier commits.
    catchUp()
  }

  func resumeFollowing() { merging.follow(link, of: editingState.id) }

  /// Takes over the commits that others have made since the last call, if there are any.
  ///
  /// - Parameter includingDeferred: Whether models that had to wait may have lost their own changes.
  func catchUp(includingDeferred: Bool = false) {
    guard !merging.isMerging else { return }
    let isBehind = merging.isAutomatic && merging.isBehind
    guard isBehind || includingDeferred && !merging.deferred.isEmpty else { return }
    do {
      if isBehind { try mergeCommits() } else { try merge(RowsToMerge()) }
    } catch {
      SwiftDataLog.report(
        .error, "ModelContext", "what others have committed can't be read", error)
    }
  }

  /// Merges the commits of all stores that can be read.
  ///
  /// - Throws: The error of a store that can't, after the others have been merged.
  private func mergeCommits() throws {
    let (rows, failure) = merging.consumeChanges(in: link)
    try merge(rows)
    if let failure { throw failure }
  }

  /// Looks at the stores' files before catching up, for callers that aren't about to read anything.
  func checkForCommitsAndCatchUp() {
    guard merging.isAutomatic, !merging.isMerging else { return }
    for store in core.capabilities.compactMap(\.commitTracking) {
      do { try store.checkForCommits() } catch {
        SwiftDataLog.report(
          .error, "ModelContext", "what others have committed can't be read", error)
      }
    }
    catchUp()
  }

  /// Drops the changes that a merge policy discarded, so that they are read again when the save is done.
  ///
  /// - Returns: The changes that were written.
  func dropDiscardedChanges(_ discarded: DiscardedChanges, of changes: StoreChanges) -> StoreChanges
  {
    guard !discarded.isEmpty else { return changes }
    var written = changes
    for model in discarded.dropped + discarded.deletedInStore {
      written.updated.removeAll { $0 === model }
      pending.changed.remove(model)
      let state = model._$modelState
      state.flags.remove(.changed)
      state.changes = ChangeMask()
      state.discardCommittedCells()
      unloadChangedLists(of: model)
    }
    for model in discarded.deletedInStore { markDeleted(model) }
    removeLinks(of: discarded.deletedInStore, written.updated + written.inserted)
    for model in discarded.dropped + discarded.partial { deferMerge(model) }
    return written
  }

  /// Removes links to models whose rows are gone: immediately from to-one relationships of saved models; lists are read
  /// again from the store when the save is done.
  private func removeLinks(of deleted: [any PersistentModel], _ saved: [any PersistentModel]) {
    guard !deleted.isEmpty else { return }
    for model in deleted { deferListMerges(around: model) }
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

  private func deferMerge(_ model: any PersistentModel) {
    guard let plan = model._$modelState.plan else { return }
    merging.deferred.insert(model._$modelState.rowID, of: plan, .all)
    deferListMerges(around: model)
  }

  private func deferListMerges(around model: any PersistentModel) {
    guard let plan = model._$modelState.plan else { return }
    merging.deferred.linked.insert(plan.name)
    // The rows at the other ends have values that this context didn't write.
    for index in plan.relationships {
      guard let destination = plan.properties[index].relationship?.destination,
        let other = core.plan(of: destination)
      else { continue }
      merging.deferred.linked.insert(other.name)
    }
  }
}
