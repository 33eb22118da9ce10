import Foundation

extension ModelContext {
  /// Deletes all models of a class that match a predicate, when the context saves.
  ///
  /// The save does it without loading the models, and the predicate is evaluated on the rows stored at that moment:
  /// unsaved insertions stay, and unsaved edits of deleted models are lost with them. When the context is asked before
  /// the save for models, counts or identifiers that the deletion concerns, or has an ``undoManager``, the models that
  /// match the predicate are found then and are deleted ones from then on, as by ``delete(_:)``. Delete rules apply in
  /// both cases, and every deleted model is in the history. ``rollback()`` cancels the deletion.
  ///
  /// - Parameters:
  ///   - model: The class.
  ///   - predicate: The models to delete; nil means all.
  ///   - includeSubclasses: Whether models of subclasses are deleted too.
  /// - Throws: ``SwiftDataError/unknownSchema`` for a class that the container doesn't have. Refusals by the store,
  ///   such as the delete rule `deny`, are thrown by ``save()``.
  public func delete<T>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    _ = try core.entry(for: model)
    pending.batchDeletions.append(
      PredicateDeletion(predicate: predicate, includeSubclasses: includeSubclasses))
    // Undoing needs to know the deleted models.
    if undoManager != nil { try loadBatchDeletions(concerning: model) }
    scheduleAutosave()
  }

  /// Whether a deletion by predicate may delete models of a class, or change the targets of their relationships.
  func batchDeletionsAffect<T: PersistentModel>(_ type: T.Type) -> Bool {
    guard let plan = core.plan(of: type) else { return true }
    return pending.batchDeletions.contains { isAffected(plan, by: $0) }
  }

  private func isAffected(_ plan: EntityPlan, by deletion: any BatchDeletion) -> Bool {
    guard let other = core.plan(of: deletion.type), other.table != plan.table else { return true }
    return !plan.relationships.isEmpty || !other.relationships.isEmpty
  }

  /// Turns deletions by predicate into deletions of models, so that an operation on a class meets none of them.
  func loadBatchDeletions<T: PersistentModel>(concerning type: T.Type) throws {
    guard !pending.batchDeletions.isEmpty else { return }
    let plan = try core.entry(for: type).plan
    try loadBatchDeletions { isAffected(plan, by: $0) }
  }

  /// Turns deletions by predicate into deletions of models when unsaved links lead to rows that they may delete. The
  /// delete rules then change these links, which would otherwise be written to rows that are gone.
  func loadBatchDeletionsOfLinkedModels() throws {
    guard !pending.batchDeletions.isEmpty else { return }
    let tables = tablesOfUnsavedLinks()
    guard !tables.isEmpty else { return }
    try loadBatchDeletions { deletion in
      guard let plan = core.plan(of: deletion.type) else { return false }
      return !tables.isDisjoint(with: tablesDeleted(with: plan.table))
    }
  }

  /// Returns the tables of the saved models that unsaved links lead to.
  private func tablesOfUnsavedLinks() -> Set<String> {
    var tables: Set<String> = []
    for model in pending.inserted.models + pending.changed.models {
      let state = model._$modelState
      for index in state.plan?.relationships ?? [] {
        guard let relationship = state.relationship(at: index),
          relationship.storage == .column || relationship.joinTable != nil,
          state.flags.contains(.inserted) || state.changes.contains(index)
        else { continue }
        var destinations = model.links(at: index).models ?? []
        destinations += state.linkChanges(at: index)?.unsavedAdded.models ?? []
        for destination in destinations where destination._$modelState.rowID != 0 {
          if let table = destination._$modelState.plan?.table { tables.insert(table) }
        }
      }
    }
    return tables
  }

  /// Returns a table, and those whose rows its cascades may delete.
  private func tablesDeleted(with table: String) -> Set<String> {
    let plans = core.plans
    var found: Set<String> = [table]
    var waiting = [table]
    while let next = waiting.popLast() {
      for plan in plans where plan.table == next {
        for index in plan.relationships {
          guard let relationship = plan.properties[index].relationship,
            relationship.deleteRule == .cascade,
            let table = core.plan(of: relationship.destination)?.table
          else { continue }
          if found.insert(table).inserted { waiting.append(table) }
        }
      }
    }
    return found
  }

  private func loadBatchDeletions(where isConcerned: (any BatchDeletion) -> Bool) throws {
    var position = 0
    while position < pending.batchDeletions.count {
      let deletion = pending.batchDeletions[position]
      if isConcerned(deletion) {
        // Removed before the models are deleted, because that notifies observers, which may call this again.
        pending.batchDeletions.remove(at: position)
        do { try deleteFound(deletion) } catch {
          pending.batchDeletions.insert(deletion, at: min(position, pending.batchDeletions.count))
          throw error
        }
      } else {
        position += 1
      }
    }
  }

  /// Deletes the models in the stored rows that a deletion matches now.
  private func deleteFound<Deletion: BatchDeletion>(_ deletion: Deletion) throws {
    // Another context, because this one may have unsaved edits, and the predicate is evaluated on the stored values.
    let identifiers = try ModelContext(container).enumeratedIdentifiers(
      FetchDescriptor<Deletion.Model>(predicate: deletion.predicate))
    let entry = try core.entry(for: Deletion.Model.self)
    let rowIDs = identifiers.filter {
      deletion.includeSubclasses || $0.entityName == entry.plan.name
    }.compactMap { entry.store.rowID(for: $0) }
    let found = try models(rowIDs: rowIDs, as: Deletion.Model.self)
    // An automatic save must get all of the deletions or none.
    let isInTransaction = autosave.beginTransaction()
    defer { autosave.endTransaction(within: isInTransaction) }
    for model in found { delete(model) }
  }

  /// Turns deletions by predicate into deletions of models where the store can't do them.
  func loadBatchDeletions() throws {
    for (position, deletion) in pending.batchDeletions.enumerated().reversed()
    where try !core.entry(for: deletion.type).capabilities.deletesByPredicate {
      try deleteEach(deletion)
      pending.batchDeletions.remove(at: position)
    }
  }

  /// Turns a deletion by predicate that its store has refused into deletions of models.
  func deleteEach(_ refusal: RefusedBatchDeletion) throws {
    let position = pending.batchDeletions.firstIndex {
      ObjectIdentifier($0) == refusal.deletion
    }
    guard let position else { throw refusal.error }
    try deleteEach(pending.batchDeletions[position])
    pending.batchDeletions.remove(at: position)
  }

  private func deleteEach<Deletion: BatchDeletion>(_ deletion: Deletion) throws {
    var descriptor = FetchDescriptor<Deletion.Model>(predicate: deletion.predicate)
    descriptor.includePendingChanges = false
    for model in try fetch(descriptor)
    where deletion.includeSubclasses || type(of: model) == Deletion.Model.self {
      delete(model)
    }
  }

  /// Marks the registered models of deleted rows as deleted.
  func adopt(
    _ deletedRows: [String: [Int64]], in store: any RowStore, into saved: inout SavedIdentifiers
  ) {
    guard !deletedRows.isEmpty else { return }
    var gone = Set(saved.deleted)
    for (entity, rowIDs) in deletedRows {
      guard let plan = core.entry(named: entity)?.plan else { continue }
      for rowID in rowIDs {
        let identifier = store.identifier(rowID: rowID, entity: entity)
        if gone.insert(identifier).inserted { saved.deleted.append(identifier) }
        guard let model = registeredModel(rowID, of: plan.type) else { continue }
        let state = model._$modelState
        state.flags = .rowDeleted
        state.changes = ChangeMask()
        state.discardCommittedCells()
        pending.changed.remove(model)
        pending.forgetDeletions(of: [model])
        forget(model)
      }
    }
    saved.updated.removeAll { gone.contains($0) }
  }
}
