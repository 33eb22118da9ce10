import Foundation

extension ModelContext {
  /// Deletes all models of a class that a predicate lets through, when the context saves, without loading them.
  ///
  /// The predicate is evaluated on what is stored at that moment: unsaved insertions stay, and unsaved edits of
  /// models that go are lost with them. Delete rules apply as they do to ``delete(_:)``, and everything that goes
  /// is in the history. ``rollback()`` calls it off.
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
    scheduleAutosave()
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
