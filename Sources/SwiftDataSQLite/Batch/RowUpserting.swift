import CSQLite
import SwiftDataCore
import SwiftDataSQL

/// Upserts rows of one entity one after the other, reusing the statement and the row's memory.
final class RowUpserting {
  let plan: EntityPlan
  private let connection: Connection
  private let statements: EntityStatements
  private var row: _RowWriter
  /// Whether the columns of the row that are stored in another form are in that form.
  private var isSealed = false

  init(connection: Connection, statements: EntityStatements) {
    self.connection = connection
    self.statements = statements
    plan = statements.plan
    row = _RowWriter(plan: statements.plan)
  }

  /// Writes `model` into the row.
  ///
  /// - Returns: The relationships whose destination has no row yet.
  func encode(
    _ model: any PersistentModel
  ) throws -> [(property: Int, destination: any PersistentModel)] {
    func open<Model: PersistentModel>(_ model: Model) {
      row.begin(model._$modelState)
      model._$encode(into: &row)
    }
    open(model)
    isSealed = false
    if let failure = row.failure { throw failure }
    return row.unresolved
  }

  /// The row last encoded, as a value that ``take(_:)`` brings back.
  var encoded: RowSnapshot { row.snapshot }

  /// Makes `snapshot` the row that ``upsert()`` writes.
  func take(_ snapshot: RowSnapshot) {
    row.cells = snapshot.cells
    row.arena = snapshot.arena
    isSealed = true
  }

  /// Upserts the row last encoded.
  ///
  /// - Parameter needsRowID: False saves the look-up of a row that existed; its id is 0 in the result then.
  func upsert(needsRowID: Bool = true) throws -> (rowID: Int64, kind: StoreSaveOutcome.Insertion) {
    if !isSealed {
      try statements.codec?.seal(&row, on: connection)
      isSealed = true
    }
    let statement = try connection.statement(statements.upsert)
    // Only a real insertion sets it, an update by conflict doesn't
    // (https://sqlite.org/c3ref/last_insert_rowid.html).
    sqlite3_set_last_insert_rowid(connection.handle, 0)
    do {
      try row.arena.withUnsafeBufferPointer { arena in
        try statement.bind(row, arena: arena.baseAddress, cells: 0..<row.cells.count, at: 1)
        try statement.run()
      }
    } catch let error as StoreError where error.code == .notUnique {
      throw try collision(error)
    } catch let error as StoreError where error.code == .missingValue {
      throw missingValue(error)
    }
    let inserted = sqlite3_last_insert_rowid(connection.handle)
    if inserted != 0 { return (inserted, .inserted) }
    let changed = sqlite3_changes64(connection.handle) > 0
    if !needsRowID && plan.uniqueness.count == 1 { return (0, changed ? .updated : .unchanged) }
    let found = try conflicting()
    guard let rowID = found.first?.rowID else {
      throw StoreError(
        .other, path: connection.path, explanation: "an upsert of \(plan.name) left no row")
    }
    // An equal row that conflicts by one constraint may still collide with another row by a second one.
    if let other = found.first(where: { $0.rowID != rowID }) {
      throw Self.collision(plan, connection.path, [found[0], other])
    }
    return (rowID, changed ? .updated : .unchanged)
  }

  private typealias Conflict = (rowID: Int64, constraint: [Int])

  /// The stored rows that share a unique value with the row, by constraint.
  private func conflicting() throws -> [Conflict] {
    var found: [Conflict] = []
    for constraint in plan.uniqueness {
      let statement = try connection.statement(statements.lookUp(constraint))
      defer { statement.reset() }
      try row.arena.withUnsafeBufferPointer { arena in
        for (position, column) in constraint.enumerated() {
          try statement.bind(
            row, arena: arena.baseAddress, cells: column..<column + 1, at: Int32(position + 1))
        }
        if try statement.step() { found.append((statement.rowID(), constraint)) }
      }
    }
    return found
  }

  private func collision(_ error: StoreError) throws -> StoreError {
    let found = try conflicting()
    guard Set(found.map(\.rowID)).count > 1 else { return error }
    return Self.collision(plan, connection.path, found)
  }

  private static func collision(
    _ plan: EntityPlan, _ path: String, _ found: [Conflict]
  ) -> StoreError {
    let rows = found.map { conflict in
      let names = conflict.constraint.map { plan.columns[$0].name }.joined(separator: ", ")
      return "row \(conflict.rowID) by \(names)"
    }
    return StoreError(
      .notUnique, path: path,
      explanation: "a \(plan.name) would have to replace two stored ones at once:"
        + " \(rows.joined(separator: " and ")); delete one of them, or change the unique values")
  }

  private func missingValue(_ error: StoreError) -> StoreError {
    let missing = plan.columns.indices.filter {
      !plan.columns[$0].isOptional && row.cells[$0].kind == .null
    }
    let names = missing.map { "\(plan.name).\(plan.columns[$0].name)" }.joined(separator: ", ")
    return StoreError(
      .missingValue, path: error.path,
      explanation: "\(names) can't be nil and has no value; set it before saving",
      resultCode: error.resultCode, sql: error.sql)
  }
}
