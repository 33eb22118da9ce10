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
      // The store may have rows of a class that belongs to another one.
      guard let entry = core.entry(named: identifier.entityName), entry.store === store,
        let rowID = store.rowID(for: identifier)
      else { continue }
      let plan = entry.plan
      var properties: [Int]?
      if case .update(let update) = change { properties = Self.properties(of: update, plan) }
      rows.insert(
        ChangedRows(
          transaction: transaction.transactionIdentifier, plan: plan, rowIDs: rowID...rowID,
          properties: properties),
        registered: link.rowIDMaps[plan.table])
    }
    try merging.merge(rows, in: self)
  }

  /// Takes over the changes that a notification reports: a ``didSave`` of another context of the same container, or a
  /// ``ModelContainer/remoteChange``, which brings the models up to the present. Other notifications have no effect.
  ///
  /// - Throws: The store's error when it can't be read.
  public func mergeChanges(from notification: Notification) throws {
    if notification.name == ModelContainer.remoteChangeName {
      return try merging.mergeCommits(in: self)
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
    try merging.merge(rows, in: self)
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
    merging.catchUp(self, includingDeferred: includingDeferred)
  }
}
