import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// One save under way, inside its transaction.
///
/// Inserted models get their row ids at once, because models that refer to them need them; when the
/// transaction fails, ``takeBack()`` removes them again.
final class StoreSaving {
  let connection: Connection
  let store: DefaultStore
  private var waiting: Set<ObjectIdentifier>
  /// Models whose destinations are being written; meeting one again closes a cycle.
  private var begun: Set<ObjectIdentifier> = []
  private var results: [ObjectIdentifier: (rowID: Int64, kind: StoreSaveOutcome.Insertion)] = [:]
  /// What happens to models whose rows others have changed.
  var policy = MergePolicy.propertyObjectTrump
  /// What that gave up.
  var yielded = YieldedChanges()
  /// Changed properties that keep the store's values, by model.
  var kept: [ObjectIdentifier: Set<Int>] = [:]
  /// Whether changed links were emptied before the deletions.
  var hasUnlinked = false
  private var given: [any PersistentModel] = []
  private var writers: [String: RowUpserting] = [:]
  /// References that had to stay empty because their destination comes later: they complete a cycle.
  private var open:
    [(owner: any PersistentModel, property: Int, destination: any PersistentModel)] = []

  init(connection: Connection, store: DefaultStore, inserted: [any PersistentModel]) {
    self.connection = connection
    self.store = store
    waiting = Set(inserted.map { ObjectIdentifier($0) })
  }

  func insertion(
    of model: any PersistentModel
  ) -> (rowID: Int64, kind: StoreSaveOutcome.Insertion) {
    results[ObjectIdentifier(model)] ?? (model._$modelState.rowID, .unchanged)
  }

  func takeBack() {
    for model in given { model._$modelState.rowID = 0 }
  }

  private func plan(of model: any PersistentModel) throws -> EntityPlan {
    guard let plan = model._$modelState.plan else { throw SwiftDataError.missingModelContext }
    return plan
  }

  private func upserting(_ plan: EntityPlan) throws -> RowUpserting {
    if let made = writers[plan.name] { return made }
    let made = RowUpserting(connection: connection, statements: try store.statements(of: plan))
    writers[plan.name] = made
    return made
  }

  // MARK: Insertions

  /// Writes a model behind the inserted models that it refers to: they need their row ids first.
  func insert(_ model: any PersistentModel) throws {
    var stack = [model]
    while let top = stack.last {
      let identity = ObjectIdentifier(top)
      guard waiting.contains(identity) else {
        stack.removeLast()
        continue
      }
      let upserting = try upserting(try plan(of: top))
      let unresolved = try upserting.encode(top)
      if !unresolved.isEmpty, begun.insert(identity).inserted {
        let first = unresolved.map(\.destination).filter {
          let identity = ObjectIdentifier($0)
          return waiting.contains(identity) && !begun.contains(identity)
        }
        if !first.isEmpty {
          stack += first.reversed()
          continue
        }
      }
      stack.removeLast()
      waiting.remove(identity)
      // What is still without a row is waiting for this very model.
      for (property, destination) in unresolved { open.append((top, property, destination)) }
      let result = try upserting.upsert()
      results[identity] = result
      top._$modelState.rowID = result.rowID
      given.append(top)
    }
  }

  func resolveCycles() throws {
    for (owner, property, destination) in open {
      let plan = try plan(of: owner)
      let rowID = destination._$modelState.rowID
      guard rowID != 0 else { throw Self.homeless(plan, property) }
      let sql = try store.statements(of: plan).update(
        columns: Array(plan.properties[property].columns))
      let statement = try connection.statement(sql)
      try statement.bind([.integer(rowID), .integer(owner._$modelState.rowID)])
      try statement.run()
    }
  }

  // MARK: Updates and deletions

  func update(_ model: any PersistentModel) throws {
    let plan = try plan(of: model)
    let state = model._$modelState
    var row = _RowWriter(plan: plan)
    row.begin(state)
    var columns: [Int] = []
    let kept = kept[ObjectIdentifier(model)] ?? []
    for index in state.changes.indices where !kept.contains(index) {
      let start = row.cells.count
      row.property = index
      for (property, destination) in try encode(model, index, into: &row) {
        open.append((model, property, destination))
      }
      let range = plan.properties[index].columns
      // A link that was taken away for the deletions has to be written, though it be the old one.
      let isAsStored = !(hasUnlinked && plan.properties[index].relationship != nil)
      if isAsStored, let committed = state.committed,
        committed.isEqual(in: range, to: row, at: start)
      {
        row.cells.removeLast(row.cells.count - start)
      } else {
        columns += range
      }
    }
    guard !columns.isEmpty else { return }
    let statements = try store.statements(of: plan)
    if policy == .overwrite { columns = try encodeWhole(model, plan, into: &row) }
    try statements.codec?.seal(&row, columns: columns, on: connection)
    let statement = try connection.statement(statements.update(columns: columns))
    try row.arena.withUnsafeBufferPointer { arena in
      try statement.bind(row, arena: arena.baseAddress, cells: 0..<row.cells.count, at: 1)
      try statement.bind(.integer(state.rowID), at: Int32(row.cells.count + 1))
      try statement.run()
    }
    if sqlite3_changes64(connection.handle) == 0 { try restore(model, plan, statements) }
  }

  private func encode(
    _ model: any PersistentModel, _ index: Int, into row: inout _RowWriter
  ) throws -> [(property: Int, destination: any PersistentModel)] {
    row.unresolved.removeAll()
    model._$encode(index, into: &row)
    if let failure = row.failure { throw failure }
    let unresolved = row.unresolved
    for (_, destination) in unresolved { try insert(destination) }
    return unresolved
  }

  /// The row of an edited model is gone: somebody else deleted it. The edit wins, as with the default merge
  /// policy, and the row comes back under the same id.
  private func restore(
    _ model: any PersistentModel, _ plan: EntityPlan, _ statements: EntityStatements
  ) throws {
    var row = _RowWriter(plan: plan)
    row.begin(model._$modelState)
    model._$encode(into: &row)
    if let failure = row.failure { throw failure }
    try statements.codec?.seal(&row, on: connection)
    let statement = try connection.statement(statements.insertWithRowID)
    try row.arena.withUnsafeBufferPointer { arena in
      try statement.bind(.integer(model._$modelState.rowID), at: 1)
      try statement.bind(row, arena: arena.baseAddress, cells: 0..<row.cells.count, at: 2)
      try statement.run()
    }
  }

  /// - Returns: The positions of the columns: all of them.
  private func encodeWhole(
    _ model: any PersistentModel, _ plan: EntityPlan, into row: inout _RowWriter
  ) throws -> [Int] {
    row.begin(model._$modelState)
    model._$encode(into: &row)
    if let failure = row.failure { throw failure }
    return Array(plan.columns.indices)
  }

  func delete(_ model: any PersistentModel) throws {
    let statements = try store.statements(of: try plan(of: model))
    let statement = try connection.statement(statements.delete)
    try statement.bind([.integer(model._$modelState.rowID)])
    try statement.run()
  }
}
