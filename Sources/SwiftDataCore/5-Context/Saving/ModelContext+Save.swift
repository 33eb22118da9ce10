import Foundation

extension ModelContext {
  /// Writes all pending changes, or none of them: in one transaction per store. Stores begin to commit when all of them
  /// have written.
  ///
  /// - Throws: ``MergeConflictError`` when others have changed the rows to be saved and ``mergePolicy`` is
  ///   ``MergePolicy/error``; ``SwiftDataError/reentrantOperation`` when it is called from code that a save of the
  ///   context runs to encode values, or by observers that save without end; otherwise the store's error. The context
  ///   stays as it was, so the cause can be corrected and the save repeated, or ``rollback()`` called.
  ///   ``SwiftDataError/incompleteSave`` when one of several stores had committed before another one failed: its
  ///   changes stay stored and are reported by ``didSave``; the changes of the other stores stay unsaved.
  public func save() throws { _ = try saveChanges() }

  /// Saves and returns the identifiers of the written models.
  package func saveChanges() throws -> SavedIdentifiers {
    undo.endEvent()
    guard hasChanges else {
      merging.checkForCommitsAndCatchUp(self)
      return SavedIdentifiers()
    }
    try saves.begin()
    defer { saves.end() }
    // A save in an observer is a part of this one. Announcing it again would recurse without end.
    if !saves.isAnnouncing {
      saves.isAnnouncing = true
      defer { saves.isAnnouncing = false }
      NotificationCenter.default.post(name: Self.willSave, object: self)
    }
    var saved = SavedIdentifiers()
    do { try writeChanges(into: &saved) } catch {
      // Changes that a store has committed are stored, even if a later step failed.
      if saved.isStored {
        NotificationCenter.default.post(
          name: Self.didSave, object: self, userInfo: saved.userInfo)
      }
      throw error
    }
    NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: saved.userInfo)
    return saved
  }

  package struct SavedIdentifiers {
    package internal(set) var inserted: [PersistentIdentifier] = []
    package internal(set) var updated: [PersistentIdentifier] = []
    package internal(set) var deleted: [PersistentIdentifier] = []
    /// Models whose changes the merge policy discarded.
    package internal(set) var discarded: [PersistentIdentifier] = []
    /// The position after the save in each store's history, by store identifier.
    var historyTokens: [String: any HistoryToken] = [:]
    /// Whether a store has committed.
    var isStored = false

    /// The identifiers under strings, the keys that Apple's framework really uses. Those that it documents are found as
    /// these.
    var userInfo: [AnyHashable: Any] {
      var userInfo = Self.noIdentifiers
      func set(_ value: Any, _ key: ModelContext.NotificationKey) { userInfo[key.rawValue] = value }
      if !inserted.isEmpty { set(inserted, .insertedIdentifiers) }
      if !updated.isEmpty { set(updated, .updatedIdentifiers) }
      if !deleted.isEmpty { set(deleted, .deletedIdentifiers) }
      if !discarded.isEmpty { set(discarded, .discardedIdentifiers) }
      if !historyTokens.isEmpty { set(historyTokens, .historyTokens) }
      return userInfo
    }

    /// The user info without any identifier. Never changes, and its values are of a type that may be sent.
    nonisolated(unsafe) private static let noIdentifiers: [AnyHashable: Any] = {
      let keys: [ModelContext.NotificationKey] = [
        .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers, .discardedIdentifiers,
      ]
      let none: [PersistentIdentifier] = []
      var userInfo: [AnyHashable: Any] = [:]
      userInfo.reserveCapacity(keys.count + 1)
      for key in keys { userInfo[key.rawValue] = none }
      return userInfo
    }()
  }

  /// - Parameter saved: Receives the identifiers of committed models, even when an error is thrown afterwards.
  func writeChanges(into saved: inout SavedIdentifiers) throws {
    if let refused = pending.refusedInsertions.first { throw refused }
    let commits = DeferredCommits()
    defer { commits.post() }
    beginOperation()
    defer { endOperation() }
    defer { markLateEdits() }
    try DeferredCommits.$current.withValue(commits) {
      while true {
        do { return try writeToStores(into: &saved) } catch let refusal as RefusedBatchDeletion {
          try deleteEach(refusal)
        }
      }
    }
  }

  private func writeToStores(into saved: inout SavedIdentifiers) throws {
    try checkLostEdits()
    try loadBatchDeletions()
    try loadBatchDeletionsOfLinkedModels()
    let owners = try undo.ownersWithoutInverse(to: pending.deleted.models, in: self)
    defer { withExtendedLifetime(owners) {} }
    var links = try LinksToDeletedRows(of: pending.deleted.models, in: self)
    let parts = try StoreSaves(try changesByStore())
    var failure: (any Error)?
    do { try writing { try parts.run() } } catch { failure = parts.failure(error) }
    parts.announce()
    let committed = parts.committed
    if let failure, committed.isEmpty { throw failure }
    saved.isStored = !committed.isEmpty
    var gone = pending.droppedClasses
    let isByPredicate = committed.contains { $0.outcome?.deletedRows.isEmpty == false }
    for part in committed {
      guard let outcome = part.outcome else { continue }
      // A model that can't be read again doesn't prevent the other changes from being announced.
      do {
        try adopt(outcome, of: part.changes, in: part.capabilities, &gone, into: &saved)
      } catch { failure = failure ?? error }
    }
    pending.forgetDroppedClasses()
    if failure == nil { saved.discarded += dropLostEdits() }
    links.drop(
      toClasses: Array(gone.values), DeletedRows(saved.deleted, in: self),
      isByPredicate: isByPredicate, in: self)
    catchUp(includingDeferred: true)
    if let failure { throw failure }
  }

  /// Runs the writing of changes by stores. Edits that are made meanwhile stay pending.
  private func writing(_ save: () throws -> Void) throws {
    saves.isWriting = true
    updateRecording()
    defer {
      saves.isWriting = false
      updateRecording()
    }
    try save()
  }

  /// Marks properties that were changed while the stores wrote as changed again. It is unknown whether the row has the
  /// value before or after the change, so no former value is kept, and the next fetch after a rollback reads the row.
  private func markLateEdits() {
    for (model, index) in saves.consumeLateEdits() {
      let state = model._$modelState
      guard state.link === link, !state.changes.contains(index) else { continue }
      state.changes.insert(index)
      state.generation = 0
      registerChange(of: model, state)
    }
  }

  /// Returns the changes for each store, in the order of the stores, validated against the schema.
  private func changesByStore() throws -> [(store: StoreCapabilities, changes: StoreChanges)] {
    try core.capabilities.compactMap { store in
      let entities = Set(store.plans.map(\.name))
      func mine(_ models: PendingModels) -> [any PersistentModel] {
        guard core.stores.count > 1 else { return models.models }
        return models.models.filter { entities.contains($0._$modelState.plan?.name ?? "") }
      }
      let changes = StoreChanges(
        inserted: mine(pending.inserted), updated: mine(pending.changed),
        deleted: mine(pending.deleted),
        batchDeletions: pending.batchDeletions.filter { deletion in
          entities.contains(Schema.entityName(for: deletion.type))
        }, editingState: editingState, mergePolicy: mergePolicy, companion: saves.companion)
      guard !changes.isEmpty else { return nil }
      if store.hasRelationships { try SaveValidation(context: self).check(changes) }
      return (store, changes)
    }
  }

  /// Updates the context after a store has committed.
  private func adopt(
    _ outcome: StoreSaveOutcome, of changes: StoreChanges, in capabilities: StoreCapabilities,
    _ gone: inout [ObjectIdentifier: any PersistentModel.Type],
    into saved: inout SavedIdentifiers
  ) throws {
    let store = capabilities.store
    saved.historyTokens[store.identifier] = outcome.historyToken
    merging.recordOwnTransaction(outcome, in: store)
    let written = merging.dropDiscardedChanges(outcome.discarded, of: changes, in: self)
    for model in outcome.discarded.dropped + outcome.discarded.deletedInStore {
      saved.discarded.append(model.persistentModelID)
    }
    try adopt(outcome, of: written, in: store, into: &saved)
    if capabilities.hasRelationships {
      for model in written.updated { discardLinkChanges(of: model) }
      for model in written.inserted { discardLinkChanges(of: model) }
    }
    for row in outcome.reregistered {
      try refreshRegistered(row, generation: outcome.generation)
    }
    for model in written.deleted { gone[ObjectIdentifier(type(of: model))] = type(of: model) }
    for plan in outcome.deletedRows.keys.compactMap({ core.entry(named: $0)?.plan }) {
      gone[ObjectIdentifier(plan.type)] = plan.type
    }
    let entities = Set(capabilities.plans.map(\.name))
    pending.batchDeletions = pending.batchDeletions.filter {
      !entities.contains(Schema.entityName(for: $0.type))
    }
    adopt(outcome.deletedRows, in: store, into: &saved)
  }

  /// Updates the models to what the store holds, after its transaction was committed.
  private func adopt(
    _ outcome: StoreSaveOutcome, of changes: StoreChanges, in store: any RowStore,
    into saved: inout SavedIdentifiers
  ) throws {
    // Updated models first: an insertion may have turned into an update of one of their rows, and the registered model
    // then takes over its values.
    saved.updated.reserveCapacity(changes.updated.count)
    var lastMap: IdentityMap?
    for model in changes.updated {
      let state = model._$modelState
      state.changes = ChangeMask()
      state.discardCommittedCells()
      // A commit of another context in between may have changed other columns of the row: the next fetch checks.
      if state.generation + 1 == outcome.generation { state.generation = outcome.generation }
      // Most saves change many models of one class in succession.
      if let lastMap, lastMap.plan === state.plan {
        saved.updated.append(lastMap.identifier(of: state.rowID))
      } else {
        lastMap = link.identityMap(for: type(of: model))
        saved.updated.append(model.persistentModelID)
      }
    }
    pending.changed.remove(changes.updated)
    // Deleted models next: an inserted model may have got the row of one of them.
    for model in changes.deleted {
      saved.deleted.append(model.persistentModelID)
      let state = model._$modelState
      state.flags = .rowDeleted
      state.changes = ChangeMask()
      state.discardCommittedCells()
      forget(model)
    }
    pending.forgetDeletions(of: changes.deleted)
    try adoptInsertions(
      outcome, of: changes.inserted, beside: changes.updated, in: store, into: &saved)
  }

  private func adoptInsertions(
    _ outcome: StoreSaveOutcome, of models: [any PersistentModel],
    beside updated: [any PersistentModel], in store: any RowStore,
    into saved: inout SavedIdentifiers
  ) throws {
    var settled = 0
    defer {
      pending.inserted.remove(
        settled == models.count
          ? models : Array(models.prefix(settled)))
    }
    saved.inserted.reserveCapacity(models.count)
    var hasAliases = false
    var last: IdentityMap?
    for (model, insertion) in zip(models, outcome.insertions) {
      let rowID = try insertion.rowID()
      let state = model._$modelState
      // Most saves insert many models of few classes.
      let map =
        try last.flatMap { $0.plan === state.plan ? $0 : nil }
        ?? identityMap(for: type(of: model))
      last = map
      // The model was deleted again by code that encodes values, after its row was written.
      let wasDropped = state.link !== link
      if wasDropped { state.join(link, map.plan) }
      try assignRow(model, state, rowID, outcome.generation, map)
      if wasDropped {
        state.flags.insert(.deleted)
        pending.deleted.insert(model, state)
      }
      // A row that existed before may have links that the model doesn't know.
      if state.flags.contains(.alias) {
        hasAliases = true
      } else if !insertion.isInserted {
        unloadLists(of: model)
        state.flags.insert(.matchedExistingRow)
      }
      settled += 1
      switch insertion {
      case .inserted: saved.inserted.append(map.identifier(of: rowID))
      case .updated:
        saved.updated.append(map.identifier(of: rowID))
        // The row may have left lists that are in memory.
        if !map.plan.relationships.isEmpty { merging.deferred.linked.insert(map.plan.name) }
      case .unchanged, .refused: break
      }
    }
    if hasAliases { for model in models + updated { replaceAliases(model) } }
  }

  /// Drops records of link changes after a save, because the store has the links now, and makes one side of models that
  /// hold each other weak.
  private func discardLinkChanges(of model: any PersistentModel) {
    let state = model._$modelState
    guard let plan = state.plan, !plan.relationships.isEmpty else { return }
    if !state.linkChanges.isEmpty {
      for position in state.linkChanges.indices {
        state.linkChanges[position].unsavedAdded.removeAll()
        state.linkChanges[position].unsavedRemoved.removeAll()
        state.linkChanges[position].addedByThemselves.removeAll()
      }
      state.linkChanges.removeAll { $0.base == nil }
    }
    for index in plan.relationships {
      // The store doesn't distinguish a list that is nil from an empty one.
      if plan.properties[index].isOptional, plan.properties[index].relationship?.isToMany == true,
        case .many(let list) = model.links(at: index), list.count == 0
      {
        model.fillLinks(.list(list), at: index)
      }
      guard let relationship = plan.properties[index].relationship,
        relationship.storage == .column, let inverse = relationship.inverse
      else { continue }
      if case .one(let destination?) = model.links(at: index), isListLoaded(destination, inverse) {
        releaseDestination(model, index, towards: destination)
      }
    }
  }

  func unloadLists<Model: PersistentModel>(of model: Model) {
    let state = model._$modelState
    guard let plan = state.plan else { return }
    for index in plan.relationships where plan.properties[index].columns.isEmpty {
      model.replace(index, plan) { $0._$clear(index) }
    }
    state.linkChanges = []
  }

  /// Gives an inserted model its row. When the row already has an instance here (an upsert), that instance stays the
  /// registered one and takes over the values, and the inserted model becomes an alias of it.
  private func assignRow<Model: PersistentModel>(
    _ model: Model, _ state: _ModelState, _ rowID: Int64, _ generation: UInt64, _ map: IdentityMap
  ) throws {
    state.flags = []
    state.changes = ChangeMask()
    state.discardCommittedCells()
    state.rowID = rowID
    state.generation = generation
    if let registered = map[rowID] as? Model, registered !== model {
      // An edit of the registered model in this same save was overwritten, so its values count as outdated.
      registered._$modelState.generation = 0
      _ = try map.store.withRow(rowID, of: map.plan) { generation, row in
        let _: Model = try materialize(row, in: map, generation: generation)
      }
      makeAlias(model, of: registered)
    } else {
      map.rows.register(model, model._$modelPlace)
    }
  }
}
