/// Edits of models that were fetched with some of their properties, and whose rows others deleted before the rest was
/// read. A save can neither write them nor restore the rows.
extension ModelContext {
  func registerLostEdit(of model: any PersistentModel, _ state: _ModelState) {
    pending.lostEdits.insert(model, state)
    scheduleAutosave()
  }

  /// - Throws: ``MergeConflictError`` with ``MergePolicy/error``.
  func checkLostEdits() throws {
    guard mergePolicy == .error, !pending.lostEdits.isEmpty else { return }
    throw MergeConflictError(conflicts: pending.lostEdits.models.compactMap(conflict))
  }

  /// Forgets the edits.
  ///
  /// - Returns: The models.
  @discardableResult
  func dropLostEdits() -> [PersistentIdentifier] {
    guard !pending.lostEdits.isEmpty else { return [] }
    let models = pending.lostEdits.models
    pending.lostEdits.removeAll()
    for model in models {
      let state = model._$modelState
      state.changes = ChangeMask()
      state.discardCommittedCells()
    }
    return models.map(\.persistentModelID)
  }

  private func conflict(_ model: any PersistentModel) -> MergeConflict? {
    func open<Model: PersistentModel>(_ model: Model) -> MergeConflict? {
      let state = model._$modelState
      guard let plan = state.plan else { return nil }
      var writer = _RowWriter(plan: plan)
      writer.begin(state)
      for index in plan.properties.indices {
        guard state.changes.contains(index) else {
          for _ in plan.columnRanges[index] { writer.appendNull() }
          continue
        }
        writer.property = index
        model._$encode(index, into: &writer)
      }
      guard writer.cells.count == plan.columns.count else { return nil }
      return MergeConflict(
        .deletedInStore, model.persistentModelID, plan, changed: [],
        edited: Array(state.changes.indices), base: nil, stored: nil, local: writer.rowCopy)
    }
    return open(model)
  }
}
