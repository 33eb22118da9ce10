import SwiftDataCore

/// Writes the changes of models, many rows together where possible.
struct UpdatePhase {
  /// The number of updates from which it pays to check whether there was a commit since the models were read.
  private static let minimumComparedCount = 32

  private let context: SaveContext
  private let missing: MissingRowPhase
  /// Whether changed links were set to NULL before the deletions.
  private let hasUnlinked: Bool
  /// The commit after which the rows of models were read, if they are unchanged since; nil when that isn't known.
  private var present: UInt64?
  private var updaters: [ObjectIdentifier: RowUpdater] = [:]
  private var lastUpdater: RowUpdater?
  /// The updated models, by position, that refer to new ones: they are written after the others, which may have to give
  /// up unique values that the new models need.
  private var leadingToNew: [Int] = []
  /// Whether ``leadingToNew`` collects models; otherwise they are written.
  private var defersNew = false

  init(_ context: SaveContext) {
    self.context = context
    missing = MissingRowPhase(context)
    hasUnlinked = !context.changes.deleted.isEmpty
  }

  /// - Parameter insertions: Writes the inserted models that the updated ones refer to.
  mutating func run(_ insertions: inout InsertionPhase) throws {
    let models = context.updated
    try checkCommits(before: models.count)
    defersNew = true
    for (position, model) in models.enumerated() {
      for gone in try update(model, at: position) ?? [] {
        try missing.record(models[gone])
      }
    }
    try flush(models)
    defersNew = false
    if !leadingToNew.isEmpty {
      // New models may need values of rows that collided, and these the values of models that lead to new ones.
      for updater in updaters.values { try updater.setPlaceholders() }
      for position in leadingToNew { try insertDestinations(of: models[position], &insertions) }
      try insertions.writeBuffered()
      for position in leadingToNew {
        for gone in try update(models[position], at: position) ?? [] {
          try missing.restore(models[gone])
        }
      }
      try flush(models)
    }
    for updater in updaters.values where !updater.collisions.rows.isEmpty {
      try writeCollided(updater, models)
    }
  }

  /// Writes the inserted models that an updated one refers to. The update needs their row IDs, for with the references
  /// it may take or give up unique values that other models of the save have.
  private func insertDestinations(
    of model: any PersistentModel, _ insertions: inout InsertionPhase
  ) throws {
    let state = model._$modelState
    for index in state.plan?.relationships ?? [] where state.changes.contains(index) {
      guard case .one(let destination?) = model.links(at: index), context.isOwn(destination)
      else { continue }
      try insertions.insert(destination)
    }
  }

  /// Finds out whether the rows of many models are unchanged since they were read.
  private mutating func checkCommits(before count: Int) throws {
    let (store, changes) = (context.store, context.changes)
    guard count >= Self.minimumComparedCount, changes.batchDeletions.isEmpty,
      changes.deleted.isEmpty
    else { return }
    if !store.location.isInMemory {
      try store.tracker.check(context.connection, context.connection.commitMark)
    }
    present = store.generation
  }

  /// Writes the rows that are held.
  private func flush(_ models: [any PersistentModel]) throws {
    for updater in updaters.values {
      for gone in try updater.flushBuffer() ?? [] { try missing.record(models[gone]) }
    }
  }

  /// Writes the models whose unique values other rows had: those rows may have other values by now, and rows that need
  /// each other's values are replaced with placeholders first. A value that is still taken belongs to a row that isn't
  /// changed.
  ///
  /// - Throws: ``StoreError/Code/notUnique``.
  private mutating func writeCollided(
    _ updater: RowUpdater, _ models: [any PersistentModel]
  ) throws {
    try updater.setPlaceholders()
    let collided = updater.collisions.rows
    updater.collisions = RowCollisions(areCollected: false)
    defer { updater.collisions.areCollected = true }
    for (position, _, _) in collided {
      for gone in try update(models[position], at: position) ?? [] {
        try missing.restore(models[gone])
      }
    }
    for gone in try updater.flushBuffer() ?? [] { try missing.restore(models[gone]) }
  }

  /// - Returns: The models whose rows no longer exist; nil if there are none.
  private mutating func update<Model: PersistentModel>(
    _ model: Model, at position: Int
  ) throws -> [Int]? {
    let state = model._$modelState
    guard let plan = state.plan else { throw SwiftDataError.missingModelContext }
    let updater = try updater(of: plan)
    let kept = context.kept.isEmpty ? nil : context.kept[ObjectIdentifier(model)]
    updater.begin(state)
    for index in state.changes.indices where !(kept?.contains(index) ?? false) {
      // A link that was removed for the deletions has to be written, even if it is unchanged.
      let isAsStored = !(hasUnlinked && plan.properties[index].relationship != nil)
      guard try updater.record(index, of: model, state, comparing: isAsStored) else { continue }
      if defersNew {
        leadingToNew.append(position)
        return nil
      }
      for (property, destination) in updater.unresolved {
        context.openReferences.append(
          SaveContext.OpenReference(owner: model, property: property, destination: destination))
      }
    }
    guard !updater.isEmpty else { return nil }
    let overwrites = context.policy == .overwrite
    if overwrites { try updater.recordAll(of: model) }
    // Values equal to the row as it was read have been left out, and the row is unchanged.
    let allDiffer =
      state.generation == present && updater.recorded.areAllCompared && !overwrites && !hasUnlinked
    return try updater.write(to: state.rowID, of: position, allDiffer: allDiffer)
  }

  private mutating func updater(of plan: EntityPlan) throws -> RowUpdater {
    if let lastUpdater, lastUpdater.plan === plan { return lastUpdater }
    let updater =
      try updaters[ObjectIdentifier(plan)]
      ?? RowUpdater(connection: context.connection, statements: try context.statements(of: plan))
    updaters[ObjectIdentifier(plan)] = updater
    lastUpdater = updater
    return updater
  }
}
