/// A model that a save writes or deletes, as it was read and as it is: to be compared with its stored row.
package struct ComparedModel {
  package let model: any PersistentModel
  package let plan: EntityPlan
  /// The row that was read, in the form in which it would be written.
  package let base: RowCopy
  private let local: RowCopy
  /// The properties that were changed.
  private let edited: [Int]
  private let isDeleted: Bool

  package var rowID: Int64 { model._$modelState.rowID }

  /// nil for a model that isn't completely loaded, as it was never read as a whole, and for one without changes, as it
  /// isn't written.
  package init?(_ model: any PersistentModel, isDeleted: Bool) {
    func rows<Model: PersistentModel>(
      of model: Model
    ) -> (plan: EntityPlan, base: RowCopy, local: RowCopy)? {
      let state = model._$modelState
      guard let plan = state.plan, state.partial == nil, let held = state.currentRow(of: model)
      else { return nil }
      let local = held.withComposedUniqueTexts(of: plan)
      guard state.hasCommittedCells, let committed = state.committedRow(of: model) else {
        return (plan, local, local)
      }
      return (plan, committed.withComposedUniqueTexts(of: plan), local)
    }
    guard let (plan, base, local) = rows(of: model) else { return nil }
    let edited = base.differences(
      from: local, of: plan, among: model._$modelState.changes.indices)
    guard isDeleted || !edited.isEmpty else { return nil }
    self.model = model
    self.plan = plan
    self.base = base
    self.local = local
    self.edited = edited
    self.isDeleted = isDeleted
  }

  /// Compares with the stored row.
  ///
  /// - Parameter stored: The row in the form of ``RowView/rewritten()``; nil when it was deleted.
  /// - Returns: nil when the row is the one that was read.
  package func difference(from stored: RowCopy?) -> RowDifference? {
    guard let stored else {
      if isDeleted { return nil }
      return RowDifference(
        kind: .deletedInStore, plan: plan, base: base, local: local, stored: nil, changed: [],
        edited: edited)
    }
    let changed = base.differences(from: stored, of: plan, among: plan.properties.indices)
    if changed.isEmpty { return nil }
    return RowDifference(
      kind: isDeleted ? .deletedHere : .edited, plan: plan, base: base, local: local,
      stored: stored, changed: changed, edited: isDeleted ? [] : edited)
  }
}

/// A stored row that differs from the one that a model was read from.
package struct RowDifference {
  fileprivate let kind: MergeConflict.Kind
  fileprivate let plan: EntityPlan
  fileprivate let base: RowCopy
  fileprivate let local: RowCopy
  /// nil when the row was deleted.
  package let stored: RowCopy?
  /// The properties whose stored values changed.
  package let changed: [Int]
  /// The properties that were changed here.
  fileprivate let edited: [Int]

  package func conflict(_ model: any PersistentModel) -> MergeConflict {
    MergeConflict(
      kind, model.persistentModelID, plan, changed: changed, edited: edited, base: base,
      stored: stored, local: local)
  }
}

extension RowCopy {
  /// The properties whose values differ from those of another row of the same entity.
  fileprivate func differences(
    from other: RowCopy, of plan: EntityPlan, among properties: some Sequence<Int>
  ) -> [Int] {
    properties.filter { index in
      let columns = plan.columnRanges[index]
      return !columns.isEmpty
        && !isEqual(in: columns, to: other.cells, other.arena, at: columns.lowerBound)
    }
  }

  fileprivate func withComposedUniqueTexts(of plan: EntityPlan) -> RowCopy {
    if plan.uniqueTexts.isEmpty { return self }
    var row = _RowWriter(plan: plan)
    row.cells = cells
    row.arena = arena
    row.composeUniqueTexts(at: 0)
    return row.rowCopy
  }
}

extension RowView {
  /// The row as a model that read it would write it: other programs may use other forms for the same value.
  package func rewritten() throws -> RowCopy? {
    func open<Model: PersistentModel>(_ type: Model.Type) throws -> RowCopy? {
      let reading = Model(_hollow: _HollowModel())
      let state = reading._$modelState
      state.plan = plan
      var reader = _RowReader(cells: cells, plan: plan, state: state)
      try reading._$decode(from: &reader)
      return state.currentRow(of: reading)?.withComposedUniqueTexts(of: plan)
    }
    return try open(plan.type)
  }
}
