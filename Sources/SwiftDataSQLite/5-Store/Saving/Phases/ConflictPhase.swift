import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Optimistic locking: a save checks, inside its transaction and before it writes, whether the rows of changed models
/// are unchanged since they were read. A model keeps its row from the first change on, so nothing has to be stored for
/// this.
struct ConflictPhase {
  private let context: SaveContext

  init(_ context: SaveContext) { self.context = context }

  /// Applies the merge policy: leaves the updated models that have to be written, and records the changes given up.
  ///
  /// - Throws: ``MergeConflictError`` under the policy `error`.
  func run() throws {
    let policy = context.policy
    // Changes made here win, and only they are written: the rows needn't be read.
    if policy == .deletionTrump || policy == .propertyObjectTrump || policy == .overwrite { return }
    var conflicts: [MergeConflict] = []
    var written: [any PersistentModel] = []
    for model in context.updated {
      guard let found = try difference(of: model) else {
        written.append(model)
        continue
      }
      switch policy {
      case .error: conflicts.append(found.conflict(model))
      case .propertyStoreTrump where found.stored != nil:
        context.kept[ObjectIdentifier(model)] = Set(found.changed)
        context.discarded.partial.append(model)
        written.append(model)
      case .rollback where found.stored != nil: context.discarded.dropped.append(model)
      default: context.discarded.deletedInStore.append(model)
      }
    }
    if policy == .error {
      for model in context.changes.deleted {
        if let found = try difference(of: model, isDeleted: true) {
          conflicts.append(found.conflict(model))
        }
      }
    }
    guard conflicts.isEmpty else { throw MergeConflictError(conflicts: conflicts) }
    context.updated = written
  }

  /// Compares the row with the one that was read; nil when it is unchanged, or isn't written at all.
  private func difference(
    of model: any PersistentModel, isDeleted: Bool = false
  ) throws -> RowDifference? {
    guard let compared = ComparedModel(model, isDeleted: isDeleted) else { return nil }
    let statements = try context.statements(of: compared.plan)
    if statements.codec == nil, try isUnchanged(compared.base, compared.rowID, statements) {
      return nil
    }
    return compared.difference(from: try storedRow(compared.rowID, statements))
  }

  /// Checks the common case with one lookup.
  private func isUnchanged(
    _ base: RowCopy, _ rowID: Int64, _ statements: EntityStatements
  ) throws -> Bool {
    let statement = try context.connection.statement(statements.isUnchanged)
    defer { statement.reset() }
    return try base.arena.withUnsafeBufferPointer { arena in
      try statement.bind(base.cells[...], arena: arena.baseAddress, at: 1)
      try statement.bind(.integer(rowID), at: Int32(base.cells.count + 1))
      return try statement.step()
    }
  }

  private func storedRow(_ rowID: Int64, _ statements: EntityStatements) throws -> RowCopy? {
    let statement = try context.connection.statement(statements.selectByRowID)
    defer { statement.reset() }
    try statement.bind([.integer(rowID)])
    guard try statement.step() else { return nil }
    return try context.store.withOpenedRow(statement, from: 1, rowID: rowID, statements) { row in
      row.plan === statements.plan ? try row.rewritten() : nil
    }
  }
}
