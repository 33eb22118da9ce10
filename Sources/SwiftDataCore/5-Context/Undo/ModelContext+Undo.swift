import Foundation

/// The context's registrations with its undo manager.
///
/// Undo actions are recorded effect by effect: an attribute that got another value, one end of a relationship that got
/// or lost destinations, a model that was added or removed. Undoing restores the former state, effect by effect in
/// reverse order, without applying delete rules, property observers or changes of other ends: their effects have
/// records of their own. Every effect records its own opposite, which makes redo possible. Observation is notified of
/// all of it.
extension ModelContext {
  /// Whether effects are being recorded.
  var recordsUndo: Bool { link.isRecording && undo.isEnabled }

  /// Updates whether setters report a change before they make it.
  func updateRecording() {
    link.isRecording = undo.manager != nil || saves.isWriting || autosave.isRefused
  }

  /// Whether effects on a model can be undone: it is in this context, and its row isn't gone.
  func canUndo(on model: any PersistentModel) -> Bool {
    let state = model._$modelState
    return state.link === link && !state.flags.contains(.rowDeleted)
  }

  // MARK: Attributes

  /// The former value of an attribute.
  private enum PreviousValue {
    /// Encoded in its columns, which have the same positions as in the row.
    case columns(RowCopy)
    /// The value of an attribute that has no column.
    case value(Any)
  }

  /// Records an attribute's value before its setter changes it. Relationships are recorded when they have changed.
  func recordChange<Model: PersistentModel>(of model: Model, at index: Int) {
    let state = model._$modelState
    if !state.flags.contains(.filling) { retryAutosave() }
    recordLateEdit(of: model, at: index)
    loadOrderedListBeforeRemoval(with: model, index)
    guard recordsUndo, canUndo(on: model), !state.flags.contains(.filling), let plan = state.plan,
      plan.properties[index].relationship == nil,
      let former = previousValue(of: model, at: index, plan)
    else { return }
    undoManager?.registerUndo(withTarget: self) { context in
      context.put(former, into: model, at: index)
    }
  }

  private func previousValue<Model: PersistentModel>(
    of model: Model, at index: Int, _ plan: EntityPlan
  ) -> PreviousValue? {
    let state = model._$modelState
    let property = plan.properties[index]
    if property.columns.isEmpty {
      // Before it is first set, the attribute may have no value to read.
      guard property.isOptional || property.defaultValue != nil || state.rowID == 0 else {
        return nil
      }
      return model[keyPath: property.keyPath].map(PreviousValue.value)
    }
    if state.partial != nil { _ = fill(model) }
    var writer = _RowWriter(plan: plan)
    writer.begin(state, property: index)
    for _ in 0..<property.columns.lowerBound { writer.appendNull() }
    model._$encode(index, into: &writer)
    if writer.failure != nil { return model[keyPath: property.keyPath].map(PreviousValue.value) }
    let isUnset = writer.cells.dropFirst(property.columns.lowerBound)
      .allSatisfy { $0.kind == .null }
    return isUnset && !property.isOptional ? nil : .columns(writer.rowCopy)
  }

  private func put<Model: PersistentModel>(
    _ former: PreviousValue, into model: Model, at index: Int
  ) {
    beginOperation()
    defer { endOperation() }
    let state = model._$modelState
    guard canUndo(on: model), let plan = state.plan else { return }
    switch former {
    case .value(let value):
      _ModelBackingData.set(value, at: plan.properties[index].keyPath, of: model)
    case .columns(let row):
      recordChange(of: model, at: index)
      registerInverseChange(of: model, index)
      row.read(plan: plan, state: state, property: index) { reader in
        model.replace(index, plan) { model in
          // The bytes are the model's own encoding, so decoding them back can't fail.
          do { try model._$decode(index, from: &reader) } catch {
            SwiftDataLog.report(
              .error, "ModelContext", "undoing a change of \(plan.name) failed", error)
          }
        }
      }
      // Decoding may run custom code, which may have saved.
      registerInverseChange(of: model, index)
    }
  }
}
