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

  /// A row that differs from the one that was read.
  private struct Difference {
    let kind: MergeConflict.Kind
    let plan: EntityPlan
    let base: RowCopy
    let local: RowCopy
    /// nil when the row was deleted.
    let stored: RowCopy?
    /// The properties whose stored values changed.
    let changed: [Int]
    /// The properties that were changed here.
    let edited: [Int]

    func conflict(_ model: any PersistentModel) -> MergeConflict {
      MergeConflict(
        kind, model.persistentModelID, plan, changed: changed, edited: edited, base: base,
        stored: stored, local: local)
    }
  }

  /// Compares the row with the one that was read; nil when it is unchanged, or isn't written at all.
  private func difference(
    of model: any PersistentModel, isDeleted: Bool = false
  ) throws -> Difference? {
    func open<Model: PersistentModel>(_ model: Model) throws -> Difference? {
      let state = model._$modelState
      // The row of a model that isn't completely loaded was never read as a whole, so it can't be compared.
      guard let plan = state.plan, state.partial == nil, let held = state.currentRow(of: model)
      else { return nil }
      // In the form in which they would be written.
      let local = Self.composed(held, plan)
      let base =
        state.hasCommittedCells
        ? state.committedRow(of: model).map { Self.composed($0, plan) } ?? local : local
      let edited = Self.differing(base, local, plan, among: state.changes.indices)
      guard isDeleted || !edited.isEmpty else { return nil }
      let statements = try context.statements(of: plan)
      if statements.codec == nil, try isUnchanged(base, state.rowID, statements) { return nil }
      let stored = try storedRow(state.rowID, statements, as: Model.self)
      guard let stored else {
        if isDeleted { return nil }
        return Difference(
          kind: .deletedInStore, plan: plan, base: base, local: local, stored: nil, changed: [],
          edited: edited)
      }
      let changed = Self.differing(base, stored, plan, among: plan.properties.indices)
      if changed.isEmpty { return nil }
      return Difference(
        kind: isDeleted ? .deletedHere : .edited, plan: plan, base: base, local: local,
        stored: stored, changed: changed, edited: isDeleted ? [] : edited)
    }
    return try open(model)
  }

  private static func differing(
    _ left: RowCopy, _ right: RowCopy, _ plan: EntityPlan,
    among properties: some Sequence<Int>
  ) -> [Int] {
    let right = writer(right, plan)
    return properties.filter { index in
      let columns = plan.properties[index].columns
      return !columns.isEmpty && !left.isEqual(in: columns, to: right, at: columns.lowerBound)
    }
  }

  private static func composed(_ row: RowCopy, _ plan: EntityPlan) -> RowCopy {
    if plan.uniqueTexts.isEmpty { return row }
    var row = writer(row, plan)
    row.composeUniqueTexts(at: 0)
    return row.rowCopy
  }

  private static func writer(_ row: RowCopy, _ plan: EntityPlan) -> _RowWriter {
    var writer = _RowWriter(plan: plan)
    writer.cells = row.cells
    writer.arena = row.arena
    return writer
  }

  /// Checks the common case with one lookup.
  private func isUnchanged(
    _ base: RowCopy, _ rowID: Int64, _ statements: EntityStatements
  ) throws -> Bool {
    let row = Self.writer(base, statements.plan)
    let statement = try context.connection.statement(statements.isUnchanged)
    defer { statement.reset() }
    let cells = row.cells[...]
    return try row.arena.withUnsafeBufferPointer { arena in
      try statement.bind(cells, arena: arena.baseAddress, at: 1)
      try statement.bind(.integer(rowID), at: Int32(cells.count + 1))
      return try statement.step()
    }
  }

  /// The row as a model that read it would write it: other programs may use other forms for the same value.
  private func storedRow<Model: PersistentModel>(
    _ rowID: Int64, _ statements: EntityStatements, as type: Model.Type
  ) throws -> RowCopy? {
    let statement = try context.connection.statement(statements.selectByRowID)
    defer { statement.reset() }
    try statement.bind([.integer(rowID)])
    guard try statement.step() else { return nil }
    return try context.store.withOpenedRow(statement, from: 1, rowID: rowID, statements) { row in
      guard row.plan === statements.plan else { return nil }
      let reading = Model(_hollow: _HollowModel())
      let state = reading._$modelState
      state.plan = row.plan
      var reader = _RowReader(cells: row.cells, plan: row.plan, state: state)
      try reading._$decode(from: &reader)
      return state.currentRow(of: reading).map { Self.composed($0, row.plan) }
    }
  }
}
