import Foundation

extension ModelContext {
  /// Returns the positions of the properties that `descriptor` wants loaded, in order; nil for all. The keys of
  /// relationships are always included: they are small, and loading a relationship needs them.
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` for a key path that leads to no persisted property.
  func propertiesToLoad<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ plan: EntityPlan
  ) throws -> [Int]? {
    // Rows of subclasses have other properties, so they are read whole.
    guard !descriptor.propertiesToFetch.isEmpty, plan.family == nil else { return nil }
    var positions = Set(plan.relationships)
    for keyPath in descriptor.propertiesToFetch {
      if let position = plan.property(for: keyPath) {
        positions.insert(position)
        continue
      }
      // A member of a composite stands for the whole composite.
      let name = KeyPathName.path(keyPath).prefix { $0 != "." }
      guard let position = plan.propertiesByName[String(name)] else {
        throw SwiftDataError.unsupportedKeyPath.explained(
          "propertiesToFetch names something that isn't a persisted property of \(plan.name).")
      }
      positions.insert(position)
    }
    return positions.count == plan.properties.count ? nil : positions.sorted()
  }

  /// Loads the missing properties of a model of a ``PartialFetch`` and of the models fetched with it. Returns false
  /// when its row is gone.
  func fillPartial<T: PersistentModel>(_ model: T, _ map: IdentityMap) throws -> Bool {
    guard let partial = model._$modelState.partial else { return true }
    let models: [T] = partial.fetch.group(at: partial.place)
    var waiting: [Int64: T] = [:]
    for model in models { waiting[model._$modelState.rowID] = model }
    let query = try map.store.prepare(
      rowIDs: models.map(\._$modelState.rowID), of: map.plan, properties: partial.fetch.missing)
    try query.statement.forEachRow { _, row in
      guard let model = waiting[row.rowID] else { return }
      try decode(partial.fetch.missing, of: model, row.cells, map.plan)
      model._$modelState.partial = nil
      waiting[row.rowID] = nil
    }
    for model in waiting.values {
      model._$modelState.flags.insert(.rowDeleted)
      model._$modelState.wasFoundGone = true
    }
    return waiting[model._$modelState.rowID] == nil
  }

  func decode<T: PersistentModel>(
    _ properties: [Int], of model: T, _ cells: UnsafeBufferPointer<_Cell>, _ plan: EntityPlan
  ) throws {
    var reader = _RowReader(cells: cells, plan: plan, state: model._$modelState)
    for index in properties {
      reader.property = index
      reader.column = plan.properties[index].columns.lowerBound
      try model._$decode(index, from: &reader)
    }
  }
}
