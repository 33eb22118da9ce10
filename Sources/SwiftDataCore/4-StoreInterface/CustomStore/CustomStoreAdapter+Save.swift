extension CustomStoreAdapter {
  package func save(
    _ changes: StoreChanges, beforeCommit: (() throws -> Void)?
  ) throws -> StoreSaveOutcome {
    try commits.refuseRecursion()
    try beforeCommit?()
    for deletion in changes.batchDeletions { try delete(deletion, changes.editingState) }
    let request = DataStoreSaveChangesRequest(
      inserted: try snapshots(of: changes.inserted), updated: try snapshots(of: changes.updated),
      deleted: try snapshots(of: changes.deleted), editingState: changes.editingState)
    let outcome = try withStore { store, state in
      state.register(changes.editingState)
      let result = try store.save(request)
      state.related = [:]
      state.generation += 1
      let insertions = try request.inserted.map { snapshot in
        let identifier = try permanent(snapshot.persistentIdentifier, in: result)
        let (rowID, isNew) = state.identities.number(of: identifier)
        return isNew ? WriteOutcome.inserted(rowID) : .updated(rowID)
      }
      var outcome = StoreSaveOutcome(insertions: insertions, generation: state.generation)
      outcome.reregistered = try result.snapshotsToReregister.values.map { snapshot in
        try row(for: snapshot, state.identities)
      }
      outcome.historyToken = tokenAfterSave()
      return outcome
    }
    let snapshots = request.inserted + request.updated + request.deleted
    let entities = Set(snapshots.map(\.persistentIdentifier.entityName))
    changes.afterCommit { self.postCommit(entities, author: changes.author) }
    return outcome
  }

  /// Carries out a deletion by predicate before the save, because a custom store has no transaction for both.
  ///
  /// - Throws: ``RefusedBatchDeletion`` when the store refuses to evaluate the predicate.
  private func delete<Deletion: BatchDeletion>(
    _ deletion: Deletion, _ editingState: EditingState
  ) throws {
    do {
      try delete(
        DataStoreBatchDeleteRequest(
          predicate: deletion.predicate, includeSubclasses: deletion.includeSubclasses,
          editingState: editingState))
    } catch let error as DataStoreError
      where error == .preferInMemoryFilter || error == .unsupportedFeature
    {
      throw RefusedBatchDeletion(deletion: ObjectIdentifier(deletion), error: error)
    }
  }

  private func snapshots(of models: [any PersistentModel]) throws -> [Store.Snapshot] {
    var related: [PersistentIdentifier: any BackingData] = [:]
    func open<Model: PersistentModel>(_ model: Model) throws -> Store.Snapshot {
      let snapshot = Store.Snapshot(
        from: model.persistentBackingData, relatedBackingDatas: &related)
      if let failure = (snapshot as? DefaultSnapshot)?.failure { throw failure }
      return snapshot
    }
    return try models.map { try open($0) }
  }

  private func permanent(
    _ temporary: PersistentIdentifier, in result: DataStoreSaveChangesResult<Store.Snapshot>
  ) throws -> PersistentIdentifier {
    guard let permanent = result.remappedIdentifiers[temporary], !permanent.isTemporary,
      permanent.storeIdentifier == identifier, permanent.entityName == temporary.entityName
    else {
      throw SwiftDataError.modelValidationFailure.explained(
        "The store \(configurationName) saved a new \(temporary.entityName) and didn't give it an"
          + " identifier: remappedIdentifiers has to map each inserted snapshot's to one of the"
          + " store's.")
    }
    return permanent
  }
}
