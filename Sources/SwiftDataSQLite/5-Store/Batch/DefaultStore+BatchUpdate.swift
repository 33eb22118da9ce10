import CSQLite
import Foundation
import SwiftDataCore
import SwiftDataSQL

extension PreparedUpdate {
  /// The columns' names and values. Sealing may write files, which are removed when the transaction is rolled back.
  func values(
    _ statements: EntityStatements, on connection: Connection
  ) throws -> [(name: String, value: SQLFragment)] {
    try columns.flatMap { columns -> [(name: String, value: SQLFragment)] in
      switch columns {
      case .value(let position, let fragment):
        return [(SQLIdentifier.quoted(plan.columns[position].name), fragment)]
      case .row(let positions, var row):
        try statements.codec?.seal(&row, columns: positions, on: connection)
        return positions.enumerated().map { cell, position in
          (
            SQLIdentifier.quoted(plan.columns[position].name),
            SQLFragment(binding: row.value(of: row.cells[cell]))
          )
        }
      }
    }
  }
}

extension DefaultStore: BatchUpdating {
  package func update<Model: PersistentModel>(
    _ assignments: [BatchAssignment<Model>], of plan: EntityPlan, _ predicate: Predicate<Model>?,
    author: String?, progress: ((Int) -> Void)?
  ) throws -> Int? {
    let target = AssignmentTarget(
      plan, plans: plansByType, storeIdentifier: identifier, dialect: SQLiteDialect())
    guard let update = try PreparedUpdate(assignments, in: target) else { return nil }
    return try run(update, predicate, author: author, progress: progress)
  }

  /// Updates the rows that match a predicate; nil means all.
  ///
  /// - Returns: The number of changed rows.
  private func run<Model: PersistentModel>(
    _ update: PreparedUpdate<Model>, _ predicate: Predicate<Model>?, author: String?,
    progress: ((Int) -> Void)?
  ) throws -> Int {
    do {
      return try run(update, predicate, author: author, progress: progress, inSteps: false)
    } catch let error as StoreError where error.code == .notUnique {
      // A row may have needed a value that another row was about to give up.
      return try run(update, predicate, author: author, progress: progress, inSteps: true)
    }
  }

  /// - Parameter inSteps: Whether unique values may pass from row to row. Values that are computed from rows of the
  ///   same table are written in steps in any case.
  private func run<Model: PersistentModel>(
    _ update: PreparedUpdate<Model>, _ predicate: Predicate<Model>?, author: String?,
    progress: ((Int) -> Void)?, inSteps: Bool
  ) throws -> Int {
    let statements = try statements(of: update.plan)
    let (count, written) = try withWriter { connection in
      let result = try connection.recordedTransaction(author: author) {
        let rows = try rows(of: Model.self, predicate, includeSubclasses: true, .unknown)
        let values = try update.values(statements, on: connection)
        // SQLite computes the values of a row after it has written earlier ones.
        let readsRows = values.contains { $0.value.sql.contains(statements.table) }
        let count = try connection.cancellable(progress) {
          inSteps || readsRows
            ? try connection.updateInSteps(statements, values, where: rows)
            : try connection.update(statements.table, values, where: rows)
        }
        try connection.checkForeignKeys(deletes: false)
        return count
      }
      attributes.removeGarbage(on: connection)
      return (result.result, result.written)
    }
    recordCommit(written, author: author)
    return count
  }
}

extension Connection {
  fileprivate func update(
    _ table: String, _ values: [(name: String, value: SQLFragment)], where rows: SQLFragment
  ) throws -> Int {
    var sql = SQLFragment("UPDATE \(table) AS t0 SET ")
    for (index, (name, value)) in values.enumerated() {
      sql.append(index == 0 ? "\(name) = " : ", \(name) = ")
      sql.append(value)
    }
    sql.append(Self.condition(values, rows))
    let statement = try statement(sql.sql)
    try statement.bind(sql.bindings)
    try statement.run()
    return Int(sqlite3_changes64(handle))
  }

  /// The condition for the matching rows that have other values.
  private static func condition(
    _ values: [(name: String, value: SQLFragment)], _ rows: SQLFragment
  ) -> SQLFragment {
    var sql = SQLFragment(" WHERE ")
    sql.append(rows)
    // A row that already has the values isn't written.
    var isOther = SQLFragment(
      "(\(values.map { "t0." + $0.name }.joined(separator: ", "))) IS NOT (")
    for (index, (_, value)) in values.enumerated() {
      if index > 0 { isOther.append(", ") }
      isOther.append(value)
    }
    isOther.append(")")
    sql.append(" AND ")
    if isOther.canFail {
      // Evaluated for matching rows only: AND may evaluate its operands in any order.
      isOther = rows.enclosed("CASE WHEN ", " THEN ").appending("", isOther, " ELSE 0 END")
    }
    sql.append(isOther)
    return sql
  }

  /// Does the same for rows that pass values on to each other. SQLite checks uniqueness and reads other rows after
  /// every row, so all new values are computed first, and old values that are unique are moved out of the way.
  fileprivate func updateInSteps(
    _ statements: EntityStatements, _ values: [(name: String, value: SQLFragment)],
    where rows: SQLFragment
  ) throws -> Int {
    let columns = values.indices.map { "v\($0)" }.joined(separator: ", ")
    try execute("CREATE TEMP TABLE _new_values (id INTEGER PRIMARY KEY, \(columns))")
    var computing = SQLFragment("INSERT INTO temp._new_values SELECT t0.\(SQLIdentifier.rowID)")
    for (_, value) in values {
      computing.append(", ")
      computing.append(value)
    }
    computing.append(" FROM \(statements.table) AS t0")
    computing.append(Self.condition(values, rows))
    let compute = try statement(computing.sql)
    try compute.bind(computing.bindings)
    try compute.run()
    let unique = statements.uniqueColumns.filter { position in
      let name = SQLIdentifier.quoted(statements.plan.columns[position].name)
      return values.contains { $0.name == name }
    }
    if !unique.isEmpty {
      recorder?.properties = ChangeMask()
      defer { recorder?.properties = nil }
      try execute(
        statements.placeholderAssignments(unique) + " WHERE \(SQLIdentifier.rowID) IN (SELECT id"
          + " FROM temp._new_values)")
    }
    let assignments = values.indices.map { "\(values[$0].name) = n.v\($0)" }
    try execute(
      "UPDATE \(statements.table) AS t0 SET \(assignments.joined(separator: ", "))"
        + " FROM temp._new_values AS n WHERE t0.\(SQLIdentifier.rowID) = n.id")
    let count = Int(sqlite3_changes64(handle))
    try execute("DROP TABLE temp._new_values")
    return count
  }

  /// Runs `body` so that a cancelled task ends it, and reports the number of rows changed so far.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func cancellable<Result>(
    _ progress: ((Int) -> Void)?, _ body: () throws -> Result
  ) throws -> Result {
    try Task.checkCancellation()
    let watch = StatementMonitor(recorder, progress)
    sqlite3_progress_handler(
      handle, StatementMonitor.interval,
      { context in
        guard let context else { return 0 }
        return Unmanaged<StatementMonitor>.fromOpaque(context).takeUnretainedValue().check() ? 1 : 0
      }, Unmanaged.passUnretained(watch).toOpaque())
    defer { sqlite3_progress_handler(handle, 0, nil, nil) }
    do {
      let result = try withExtendedLifetime(watch, body)
      if let recorder { progress?(recorder.recordedCount) }
      return result
    } catch {
      if watch.isCancelled { throw CancellationError() }
      throw error
    }
  }
}

/// Monitors a long statement from inside (https://sqlite.org/c3ref/progress_handler.html).
private final class StatementMonitor {
  /// The number of steps of SQLite's virtual machine between two checks: some thousand checks a second.
  static let interval: Int32 = 10_000

  private let recorder: HistoryRecorder?
  private let progress: ((Int) -> Void)?
  private(set) var isCancelled = false

  init(_ recorder: HistoryRecorder?, _ progress: ((Int) -> Void)?) {
    self.recorder = recorder
    self.progress = progress
  }

  /// - Returns: Whether the statement should end.
  func check() -> Bool {
    if let recorder { progress?(recorder.recordedCount) }
    isCancelled = Task.isCancelled
    return isCancelled
  }
}

extension _RowWriter {
  /// A cell as an independent value.
  func value(of cell: _Cell) -> SQLValue {
    switch cell.kind {
    case .null: .null
    case .integer: .integer(cell.bits)
    case .real: .real(Double(bitPattern: UInt64(bitPattern: cell.bits)))
    case .text: .text(String(decoding: bytes(of: cell), as: UTF8.self))
    case .blob: .blob(Array(bytes(of: cell)))
    }
  }
}
