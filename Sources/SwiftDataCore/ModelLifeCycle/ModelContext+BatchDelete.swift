import Foundation

extension ModelContext {
  /// Deletes all models of a class that a predicate lets through, when the context saves.
  ///
  /// The save does it without loading the models, and the predicate is evaluated on what is stored at that moment:
  /// unsaved insertions stay, and unsaved edits of models that go are lost with them. When the context is asked before
  /// the save for models, numbers or identifiers that the deletion concerns, or has an ``undoManager``, the models that
  /// the predicate lets through are found then and are deleted ones from then on, as by ``delete(_:)``. Delete rules
  /// apply in both cases, and everything that goes is in the history. ``rollback()`` calls it off.
  ///
  /// - Parameters:
  ///   - model: The class.
  ///   - predicate: Which models; nil means all.
  ///   - includeSubclasses: Whether models of subclasses go too.
  /// - Throws: ``SwiftDataError/unknownSchema`` for a class that the container doesn't have. What makes the store
  ///   refuse, such as the delete rule `deny`, is thrown by ``save()``.
  public func delete<T>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    _ = try core.entry(for: model)
    batchDeletions.append(
      PredicateDeletion(predicate: predicate, includeSubclasses: includeSubclasses))
    // What can be undone has to be known.
    if undoManager != nil { try loadBatchDeletions(concerning: model) }
    scheduleAutosave()
  }

  /// Whether a deletion by predicate may take models of a class, or change what they lead to.
  func batchDeletionsConcern<T: PersistentModel>(_ type: T.Type) -> Bool {
    guard let plan = core.plan(of: type) else { return true }
    return batchDeletions.contains { isConcerned(plan, by: $0) }
  }

  private func isConcerned(_ plan: EntityPlan, by deletion: any BatchDeletion) -> Bool {
    guard let other = core.plan(of: deletion.type), other.table != plan.table else { return true }
    return !plan.relationships.isEmpty || !other.relationships.isEmpty
  }

  /// Turns deletions by predicate into deletions of models, so that whoever asks for a class meets none of them.
  func loadBatchDeletions<T: PersistentModel>(concerning type: T.Type) throws {
    guard !batchDeletions.isEmpty else { return }
    let plan = try core.entry(for: type).plan
    var position = 0
    while position < batchDeletions.count {
      let deletion = batchDeletions[position]
      if isConcerned(plan, by: deletion) {
        // Before the models are deleted, which tells observers, who may come back here.
        batchDeletions.remove(at: position)
        do { try deleteFound(deletion) } catch {
          batchDeletions.insert(deletion, at: min(position, batchDeletions.count))
          throw error
        }
      } else {
        position += 1
      }
    }
  }

  /// Deletes the models in the stored rows that a deletion means now.
  private func deleteFound<Deletion: BatchDeletion>(_ deletion: Deletion) throws {
    // Another context, because this one has edits of its own, and the predicate is about what is stored.
    let identifiers = try ModelContext(container).enumeratedIdentifiers(
      FetchDescriptor<Deletion.Model>(predicate: deletion.predicate))
    let entry = try core.entry(for: Deletion.Model.self)
    let rowIDs = identifiers.filter {
      deletion.includeSubclasses || $0.entityName == entry.plan.name
    }.compactMap { entry.store.rowID(for: $0) }
    let found = try models(rowIDs: rowIDs, as: Deletion.Model.self)
    // All of them or none, for a save that comes by itself.
    let wasInTransaction = isInTransaction
    isInTransaction = true
    defer { isInTransaction = wasInTransaction }
    for model in found { delete(model) }
  }

  /// Turns deletions by predicate into deletions of models where the store can't do them.
  func loadBatchDeletions() throws {
    for (position, deletion) in batchDeletions.enumerated().reversed()
    where try !core.entry(for: deletion.type).store.deletesByPredicate {
      try deleteEach(deletion)
      batchDeletions.remove(at: position)
    }
  }

  private func deleteEach<Deletion: BatchDeletion>(_ deletion: Deletion) throws {
    var descriptor = FetchDescriptor<Deletion.Model>(predicate: deletion.predicate)
    descriptor.includePendingChanges = false
    for model in try fetch(descriptor)
    where deletion.includeSubclasses || type(of: model) == Deletion.Model.self {
      delete(model)
    }
  }

  /// Rows are gone: the models that the context has of them know it from now on.
  func adopt(
    _ deletedRows: [String: [Int64]], in store: any ModelStore, into saved: inout SavedIdentifiers
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
        state.flags = .gone
        state.changes = ChangeMask()
        state.forgetFormer()
        changed.remove(model)
        deleted.remove(model)
        forget(model)
      }
    }
    saved.updated.removeAll { gone.contains($0) }
  }
}
