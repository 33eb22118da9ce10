import Foundation

extension ModelContext {
  /// Returns the model with the identifier if the context has it; nothing is fetched.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T?
  {
    registered(persistentModelID, as: T.self)
  }

  private func registered<T: PersistentModel>(
    _ identifier: PersistentIdentifier, as type: T.Type
  ) -> T? {
    if identifier.isTemporary {
      return link.model(with: identifier, among: pending.inserted) as? T
    }
    if let known = link.registered(identifier, as: type) { return known }
    guard let entry = core.entry(named: identifier.entityName), entry.plan.type is T.Type,
      let rowID = entry.store.rowID(for: identifier)
    else { return nil }
    return registeredModel(rowID, of: entry.plan.type) as? T
  }

  /// Returns the model with the identifier, fetched when the context doesn't have it.
  ///
  /// The result is never nil: for an identifier without a row it is an empty model whose ``PersistentModel/isDeleted``
  /// is true. Use ``registeredModel(for:)`` or a fetch where that matters.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    guard let entry = core.entry(named: persistentModelID.entityName) else {
      return _UnknownModel(identifier: persistentModelID)
    }
    func open<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel {
      if let registered = registered(persistentModelID, as: type) { return registered }
      if let rowID = entry.store.rowID(for: persistentModelID),
        let model = fetchOrReport(rowID, as: type)
      {
        return model
      }
      let hollow = Model(_hollow: _HollowModel())
      hollow._$modelState.flags = .rowDeleted
      return hollow
    }
    return open(entry.plan.type)
  }

  /// Returns the model in the row `rowID`: registered or fetched; nil when there is no such row.
  func existingModel<T: PersistentModel>(_ rowID: Int64, as type: T.Type) throws -> T? {
    let map = try identityMap(for: type)
    if let model = map[rowID] as? T { return model }
    try beginReading()
    defer { endReading() }
    var found: T?
    _ = try map.store.withRow(rowID, of: map.plan) { generation, row in
      found = try materialize(row, in: map, generation: generation)
    }
    return found
  }

  /// Marks registered models whose rows are gone as deleted. Models with unsaved changes keep them until the save,
  /// where ``mergePolicy`` decides.
  func markMissing<T: PersistentModel>(
    of type: T.Type, _ identifiers: Set<PersistentIdentifier>
  ) throws {
    let map = try identityMap(for: type)
    var registered: [Int64: T] = [:]
    for identifier in identifiers {
      guard let rowID = map.store.rowID(for: identifier), let model = map[rowID] as? T,
        model._$modelState.followsRow
      else { continue }
      registered[rowID] = model
    }
    guard !registered.isEmpty else { return }
    let query = try map.store.prepare(
      rowIDs: Array(registered.keys), of: map.plan, properties: nil)
    for rowID in try query.statement.rowIDs() { registered[rowID] = nil }
    for model in registered.values {
      model._$modelState.flags = .rowDeleted
      forget(model)
    }
  }

  /// Returns the model of a row to getters, which can't throw: a failed read is reported and counts as absence.
  func fetchOrReport<T: PersistentModel>(_ rowID: Int64, as type: T.Type) -> T? {
    do { return try existingModel(rowID, as: type) } catch {
      SwiftDataLog.report(
        .error, "ModelContext", "\(T.self) \(rowID) can't be read", error)
      return nil
    }
  }

  /// Reads a model's row again, see ``fill(_:)``.
  func fillRow(of model: any PersistentModel) -> Bool { fill(model) }

  /// Loads the row of a model that isn't fully loaded. Returns false when the row is gone.
  package func fill<T: PersistentModel>(_ model: T) -> Bool {
    let state = model._$modelState
    guard !state.flags.contains(.rowDeleted) else { return false }
    do {
      try beginReading()
      defer { endReading() }
      let map = try identityMap(for: T.self)
      if state.partial != nil { return try fillPartial(model, map) }
      let exists = try map.store.withRow(state.rowID, of: map.plan) { generation, row in
        var reader = _RowReader(cells: row.cells, plan: row.plan, state: state)
        try model._$decode(from: &reader)
        state.generation = generation
      }
      if !exists { state.flags.insert(.rowDeleted) }
      return exists
    } catch {
      SwiftDataLog.report(
        .error, "ModelContext", "\(T.self) \(state.rowID) can't be read", error)
      return false
    }
  }

  /// Updates the registered model of a row, if there is one, with the row's values. A model with unsaved changes keeps
  /// its own.
  func refreshRegistered(_ row: EntityRow, generation: UInt64) throws {
    func open<Model: PersistentModel>(_ type: Model.Type) throws {
      let map = try identityMap(for: type)
      guard let registered = map[row.rowID] as? Model else { return }
      registered._$modelState.generation = 0
      try row.withView { row in
        let _: Model = try materialize(row, in: map, generation: generation)
      }
    }
    try open(row.plan.type)
  }
}

/// The interface of a context for modules of stores.
extension ModelContext {
  package var stores: [any RowStore] { core.stores }

  package func entry(for type: any PersistentModel.Type) throws -> ContainerCore.Entry {
    try core.entry(for: type)
  }

  /// Returns the models in the rows, in the order of the rows, without those that are gone or deleted here.
  package func models<T: PersistentModel>(rowIDs: [Int64], as type: T.Type) throws -> [T] {
    let map = try identityMap(for: type)
    let query = try map.store.prepare(
      rowIDs: Array(Set(rowIDs)), of: map.plan, properties: nil)
    var found: [Int64: T] = [:]
    try forEachModel(of: query, map) { (model: T) in found[model._$modelState.rowID] = model }
    return rowIDs.compactMap { rowID in
      found[rowID].flatMap { $0._$modelState.isDeleted ? nil : $0 }
    }
  }
}
