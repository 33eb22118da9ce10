import Foundation

/// Undoing changes of attributes.
extension UndoRecorder {
  /// The former value of an attribute.
  private enum PreviousValue {
    /// Encoded in its columns, which have the same positions as in the row.
    case columns(RowCopy)
    /// The value of an attribute that has no column.
    case value(Any)
  }

  /// Records an attribute's value before its setter changes it. Relationships are recorded when they have changed.
  func recordChange<Model: PersistentModel>(
    of model: Model, at index: Int, in context: ModelContext
  ) {
    let state = model._$modelState
    loadOrderedListBeforeRemoval(with: model, index, in: context)
    guard context.canUndo(on: model), !state.flags.contains(.filling), let plan = state.plan,
      plan.properties[index].relationship == nil,
      let former = previousValue(of: model, at: index, plan, in: context)
    else { return }
    manager?.registerUndo(withTarget: context) { context in
      context.undo.put(former, into: model, at: index, in: context)
    }
  }

  private func previousValue<Model: PersistentModel>(
    of model: Model, at index: Int, _ plan: EntityPlan, in context: ModelContext
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
    if state.partial != nil { _ = context.fill(model) }
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
    _ former: PreviousValue, into model: Model, at index: Int, in context: ModelContext
  ) {
    context.beginOperation()
    defer { context.endOperation() }
    let state = model._$modelState
    guard context.canUndo(on: model), let plan = state.plan else { return }
    switch former {
    case .value(let value):
      // A setter records the change itself.
      if plan.properties[index].columns.isEmpty {
        context.recordChange(of: model, at: index)
        context.registerInverseChange(of: model, index)
      }
      state.restore(value, of: model, at: index, plan)
    case .columns(let row):
      context.recordChange(of: model, at: index)
      context.registerInverseChange(of: model, index)
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
      context.registerInverseChange(of: model, index)
    }
  }
}
