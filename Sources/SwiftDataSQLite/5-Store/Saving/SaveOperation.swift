import SwiftDataCore

/// A save in progress, inside its transaction: runs the phases of ``SavePhase`` in their order.
///
/// Inserted models get their row IDs immediately, because models that refer to them need the IDs; when the transaction
/// fails, ``revert()`` removes them again.
struct SaveOperation {
  let context: SaveContext
  private var batchDeletions: BatchDeletionPhase
  private var updates: UpdatePhase
  private var insertions: InsertionPhase

  init(_ changes: StoreChanges, on connection: Connection, of store: DefaultStore) {
    context = SaveContext(changes, on: connection, of: store)
    batchDeletions = BatchDeletionPhase(context)
    updates = UpdatePhase(context)
    insertions = InsertionPhase(context)
  }

  /// Runs all phases. When it returns or throws, no other thread uses the connection.
  mutating func run() throws {
    defer { insertions.endThread() }
    for phase in SavePhase.allCases { try run(phase) }
  }

  /// Runs one phase, after those before it.
  mutating func run(_ phase: SavePhase) throws {
    switch phase {
    case .batchDeletionPreparation: try batchDeletions.prepare()
    case .companionBegin: try context.changes.companion?.begin(context.rows)
    case .batchDeletions: try batchDeletions.run()
    case .conflicts: try ConflictPhase(context).run()
    case .unlinking: try UnlinkingPhase(context).run()
    case .deletions: try DeletionPhase(context).run()
    case .updates: try updates.run(&insertions)
    case .missingRows: try MissingRowPhase(context).run()
    case .insertions: try insertions.run()
    case .links: try LinkPhase(context).run()
    case .orders: try OrderPhase(context).run()
    case .foreignKeys:
      let changes = context.changes
      try context.connection.checkForeignKeys(
        deletes: !changes.deleted.isEmpty || !changes.batchDeletions.isEmpty)
    case .companionEnd: try context.changes.companion?.end(context.rows)
    case .jointMark: try markJointSave()
    }
  }

  private func markJointSave() throws {
    guard let joint = context.changes.joint, context.store.jointSaveIdentifier != nil else {
      return
    }
    try JointSaveMarks.set(joint, on: context.connection)
  }

  /// The rows of all inserted models, and the outcomes of their insertions.
  var outcomes: [WriteOutcome] { insertions.outcomes }

  /// Removes the marks of a transaction that failed from the models.
  func revert() {
    for model in context.changes.inserted {
      model._$modelState.rowID = 0
      model._$modelState.flags.remove(.buffered)
    }
    // Under other policies the flag isn't set before the save is done.
    for model in context.discarded.deletedInStore { model._$modelState.flags.remove(.rowDeleted) }
  }
}
