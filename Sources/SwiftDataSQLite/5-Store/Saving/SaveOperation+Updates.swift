import SwiftDataCore

extension SaveOperation {
  /// Writes the changes of some models, many rows together where possible.
  func update(_ models: [any PersistentModel]) throws {
    func open<Model: PersistentModel>(_ model: Model, at position: Int) throws -> [Int]? {
      try update(model, at: position)
    }
    defersNew = true
    for (position, model) in models.enumerated() {
      for gone in try open(model, at: position) ?? [] { try handleMissingRow(models[gone]) }
    }
    try finishUpdates(models)
    defersNew = false
    guard !leadingToNew.isEmpty else { return }
    for position in leadingToNew {
      for gone in try open(models[position], at: position) ?? [] { try restore(models[gone]) }
    }
    try finishUpdates(models)
  }

  /// Writes the rows that are held.
  private func finishUpdates(_ models: [any PersistentModel]) throws {
    for updating in updates.values {
      for gone in try updating.flushBuffer() ?? [] { try handleMissingRow(models[gone]) }
    }
    for updating in updates.values where !updating.collided.isEmpty {
      try writeCollided(updating, models)
    }
  }

  /// Writes the models whose unique values other rows had: those rows may have other values by now, and rows that need
  /// each other's values are replaced with placeholders first. A value that is still taken belongs to a row that isn't
  /// changed.
  ///
  /// - Throws: ``StoreError/Code/notUnique``.
  private func writeCollided(
    _ updating: RowUpdater, _ models: [any PersistentModel]
  ) throws {
    func open<Model: PersistentModel>(_ model: Model, at position: Int) throws -> [Int]? {
      try update(model, at: position)
    }
    let collided = updating.collided
    updating.collided = []
    updating.awaitsValues = false
    defer { updating.awaitsValues = true }
    for (_, rowID, columns) in collided { try updating.setPlaceholders(columns, of: rowID) }
    for (position, _, _) in collided {
      for gone in try open(models[position], at: position) ?? [] { try restore(models[gone]) }
    }
    for gone in try updating.flushBuffer() ?? [] { try restore(models[gone]) }
  }

  /// - Returns: The models whose rows no longer exist; nil if there are none.
  private func update<Model: PersistentModel>(_ model: Model, at position: Int) throws -> [Int]? {
    let state = model._$modelState
    guard let plan = state.plan else { throw SwiftDataError.missingModelContext }
    let updating = try updating(plan)
    let kept = kept.isEmpty ? nil : kept[ObjectIdentifier(model)]
    updating.begin(state)
    for index in state.changes.indices where !(kept?.contains(index) ?? false) {
      // A link that was removed for the deletions has to be written, even if it is unchanged.
      let isAsStored = !(hasUnlinked && plan.properties[index].relationship != nil)
      guard try updating.record(index, of: model, state, comparing: isAsStored) else { continue }
      if defersNew {
        leadingToNew.append(position)
        return nil
      }
      for (property, destination) in updating.unresolved {
        if isOwn(destination) { try insert(destination) }
        self.open.append((model, property, destination))
      }
    }
    guard !updating.isEmpty else { return nil }
    if policy == .overwrite { try updating.recordAll(of: model) }
    // Values equal to the row as it was read have been left out, and the row is unchanged.
    let allDiffer =
      state.generation == present && updating.comparesAll && policy != .overwrite && !hasUnlinked
    return try updating.write(to: state.rowID, of: position, allDiffer: allDiffer)
  }

  private func updating(_ plan: EntityPlan) throws -> RowUpdater {
    if let lastUpdating, lastUpdating.plan === plan { return lastUpdating }
    let made =
      try updates[ObjectIdentifier(plan)]
      ?? RowUpdater(connection: connection, statements: try store.statements(of: plan))
    updates[ObjectIdentifier(plan)] = made
    lastUpdating = made
    return made
  }

  /// Handles the missing row of an edited model: another program deleted it.
  private func handleMissingRow(_ model: any PersistentModel) throws {
    guard policy == .deletionTrump else { return try restore(model) }
    discarded.deletedInStore.append(model)
    // Links to the model are written as NULL.
    model._$modelState.flags.insert(.rowDeleted)
  }

  /// Sets links to models whose rows no longer exist to NULL. Called after the updates.
  ///
  /// - Returns: The written models.
  func withoutMissing(_ models: [any PersistentModel]) throws -> [any PersistentModel] {
    guard policy == .deletionTrump, !discarded.deletedInStore.isEmpty else { return models }
    let written = models.filter { !$0._$modelState.flags.contains(.rowDeleted) }
    for model in written {
      let state = model._$modelState
      guard let plan = state.plan else { continue }
      for index in plan.relationships where state.changes.contains(index) {
        guard plan.properties[index].relationship?.storage == .column,
          case .one(let destination?) = model.links(at: index),
          destination._$modelState.flags.contains(.rowDeleted)
        else { continue }
        let columns = Array(plan.properties[index].columns)
        try run(
          try store.statements(of: plan).update(columns: columns), [.null, .integer(state.rowID)])
      }
    }
    return written
  }

  /// Inserts the row again with the same ID, because the edit wins.
  private func restore(_ model: any PersistentModel) throws {
    let statements = try store.statements(of: try plan(of: model))
    var row = _RowWriter(plan: statements.plan)
    row.begin(model._$modelState)
    model._$encode(into: &row)
    if let failure = row.failure { throw failure }
    row.composeUniqueTexts(at: 0)
    try statements.codec?.seal(&row, on: connection)
    let statement = try connection.statement(statements.insertWithRowID)
    let cells = row.cells[...]
    try row.arena.withUnsafeBufferPointer { arena in
      try statement.bind(.integer(model._$modelState.rowID), at: 1)
      try statement.bind(cells, arena: arena.baseAddress, at: 2)
      try statement.run()
    }
  }
}
