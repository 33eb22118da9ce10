extension _ModelState {
  package var context: ModelContext? { link?.context }
}

extension _ModelState {
  /// Called by a property's setter before the value changes: keeps the former value, then marks the change. No outside
  /// code runs between the mark and the assignment of the value.
  @inlinable
  public func willChange<Model: PersistentModel>(_ model: Model, _ index: Int) {
    guard let isRecording = withLink({ $0.isRecording }) else { return }
    if isRecording { recordUndo(of: model, at: index) }
    if !changes.contains(index) { registerChange(of: model, at: index) }
  }

  @usableFromInline
  func recordUndo<Model: PersistentModel>(of model: Model, at index: Int) {
    context?.recordChange(of: model, at: index)
  }

  @usableFromInline
  func registerChange<Model: PersistentModel>(of model: Model, at index: Int) {
    // The context keeps its link alive, and its container the plan.
    withLink { link in
      guard let context = link.context else { return }
      // A changed model is always fully loaded, so that its row can be compared and restored.
      if partial != nil { _ = context.fill(model) }
      // A model whose row is gone is never compared.
      if rowID != 0, !flags.contains(.rowDeleted),
        !link.committedCells.contains(index, from: fields.pointee.firstCommittedCell)
      {
        withPlan { plan in
          if plan.columnRanges[index].isEmpty {
            recordFormerValue(of: model, at: index, plan)
          } else {
            context.cellEncoder(plan).record(index, of: model, self, in: link)
          }
        }
      }
      fields.pointee.changes.insert(index)
      context.registerFirstChange(of: model, self, at: index)
      context.registerChange(of: model, self)
    }
  }

  /// Keeps the value of an attribute that has no column, for a rollback.
  private func recordFormerValue<Model: PersistentModel>(
    of model: Model, at index: Int, _ plan: EntityPlan
  ) {
    let property = plan.properties[index]
    // Before it is first set, the attribute may have no value to read.
    guard property.relationship == nil, property.isOptional || property.defaultValue != nil,
      let value = model[keyPath: property.keyPath]
    else { return }
    ownRareFields.formerValues.append((index, value))
  }

  /// The row as last committed: the model's current values, except for the properties that were changed.
  package func committedRow<Model: PersistentModel>(of model: Model) -> RowCopy? {
    guard hasCommittedCells else { return currentRow(of: model) }
    guard let plan, let link else { return nil }
    var writer = _RowWriter(plan: plan)
    writer.keepsLinksToDeleted = true
    writer.begin(self)
    for index in plan.properties.indices
    where !link.committedCells.append(
      index, from: fields.pointee.firstCommittedCell, to: &writer.cells, &writer.arena)
    {
      writer.property = index
      model._$encode(index, into: &writer)
    }
    return writer.rowCopy
  }

  package func currentRow<Model: PersistentModel>(of model: Model) -> RowCopy? {
    guard let plan else { return nil }
    var writer = _RowWriter(plan: plan)
    writer.keepsLinksToDeleted = true
    writer.begin(self)
    // Rows of a class have similar lengths, and growing the arena takes several allocations.
    writer.arena.reserveCapacity(plan.byteCount.load(ordering: .relaxed))
    model._$encode(into: &writer)
    plan.byteCount.store(min(writer.arena.count, 4096), ordering: .relaxed)
    return writer.rowCopy
  }

  /// Called by the setter of a property with observers: whether it runs them. Restoring a former value doesn't.
  public func runsObservers(of index: Int) -> Bool { restored?.property != index }

  /// Assigns a former value to the property at `index`, whose observers don't run. That of an attribute without a
  /// column goes into the storage: the setter may be a subclass's, which always runs the observers there.
  func restore<Model: PersistentModel>(
    _ value: Any, of model: Model, at index: Int, _ plan: EntityPlan
  ) {
    guard plan.properties[index].columns.isEmpty else {
      return restoring(value, at: index) {
        _ModelBackingData.set(value, at: plan.properties[index].keyPath, of: model)
      }
    }
    model.replace(index, plan) { model in
      var reader = _RowReader(
        cells: UnsafeBufferPointer(start: nil, count: 0), plan: plan, state: self)
      reader.property = index
      restoring(value, at: index) {
        do { try model._$decode(index, from: &reader) } catch {
          SwiftDataLog.report(
            .error, "SwiftData", "a value of \(plan.name) can't be restored", error)
        }
      }
    }
  }

  /// Runs `assign`, which gives the property at `index` a value past the observers that its class declares.
  func restoring(_ value: Any, at index: Int, _ assign: () -> Void) {
    let rareFields = ownRareFields
    let outer = rareFields.restored
    rareFields.restored = (index, value)
    defer { rareFields.restored = outer }
    assign()
  }

  /// Called by a property's setter after the value changed. Attributes need no further action.
  @inlinable
  @_disfavoredOverload
  public func didChange<Model: PersistentModel, Value>(
    _ model: Model, _ index: Int, from oldValue: Value?, to newValue: Value
  ) {}
}

// MARK: - Values that aren't loaded yet

extension _ModelState {
  /// Called by a property's getter when its storage is empty: loads the row, or makes a substitute value.
  @_disfavoredOverload
  public func fault<Model: PersistentModel, Value>(_ model: Model, _ index: Int) -> Value {
    if let value: Value = originalValue(at: index) { return value }
    if let value = load(model, index, as: Value.self) { return value }
    if let expected = expectedValues[index], let value = expected as? Value { return value }
    return ZeroValue.makeOrStop(
      else: AssignedValue.current?.value as? Value,
      "\(Model.self) has no value for property \(index) of type \(Value.self): it was never set, its row"
        + " is gone, and the type has no empty value. Check isDeleted before reading.")
  }

  private func load<Model: PersistentModel, Value>(
    _ model: Model, _ index: Int, as type: Value.Type
  ) -> Value? {
    guard rowID != 0, let link, let plan, link.loader.fill(model) else { return nil }
    // The row is in the storage now, so the getter doesn't call this method again.
    return model[keyPath: plan.properties[index].keyPath] as? Value
  }
}
