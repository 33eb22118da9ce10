import Foundation
import SwiftDataCore
import SwiftDataSQL

extension PostgresStore: BatchUpdating {
  package func update<Model: PersistentModel>(
    _ assignments: [BatchAssignment<Model>], of plan: EntityPlan, _ predicate: Predicate<Model>?,
    author: String?, progress: ((Int) -> Void)?
  ) throws -> Int? {
    let target = AssignmentTarget(
      plan, plans: plansByType, storeIdentifier: identifier, dialect: PostgresDialect())
    guard let update = try PreparedUpdate(assignments, in: target) else { return nil }
    let values = try update.columns.flatMap { columns -> [(name: String, value: SQLFragment)] in
      switch columns {
      case .value(let position, let fragment):
        return [(SQLIdentifier.quoted(plan.columns[position].name), fragment)]
      case .row(let positions, var row):
        try cipher[plan]?.seal(&row, columns: positions)
        return positions.enumerated().map { cell, position in
          (
            SQLIdentifier.quoted(plan.columns[position].name),
            SQLFragment(binding: ColumnValue(row.cells[cell], bytes: row))
          )
        }
      }
    }
    let rows = try rows(predicate, of: plan)
    let statement = try BatchUpdateStatement(values, of: plan, in: self)
    // An expression may have a form that the server has no type for.
    guard try accepts(statement.text(rows?.source)) else { return nil }
    let count = try writing { connection in
      let rows = try rows ?? lockedRows(predicate, on: connection)
      let command = statement.command(rows)
      return try evaluating { try connection.run(command) }.changedCount
    }
    progress?(count)
    if count > 0 { announceCommit(of: nil, author: author) }
    return count
  }

  /// The condition for the rows that match a predicate; nil when SQL doesn't express all of it.
  private func rows<Model: PersistentModel>(
    _ predicate: Predicate<Model>?, of plan: EntityPlan
  ) throws -> BatchUpdateStatement.Rows? {
    var request = StoreRequest<Model>(plan: plan)
    request.predicate = predicate
    request.purpose = .identifiers
    let query = try postgresQuery(request)
    guard query.storeQuery.isFilterExact else { return nil }
    return .init(source: query.source, values: query.parameters)
  }

  private func lockedRows<Model: PersistentModel>(
    _ predicate: Predicate<Model>?, on connection: PostgresConnection
  ) throws -> BatchUpdateStatement.Rows {
    let rows = try lockedRows(
      of: Model.self, predicate, includeSubclasses: true, on: connection)
    return .locked(rows.keys)
  }
}

/// An update of the rows that match a condition and have other values.
struct BatchUpdateStatement {
  /// The rows `t0`.
  struct Rows {
    /// The SQL from `WHERE` on; empty for all rows.
    let source: String
    let values: [PostgresValue]

    static let lockedSource = " WHERE t0.\(SQLIdentifier.rowID) = ANY (?)"

    static func locked(_ rowIDs: some Sequence<Int64>) -> Rows {
      Rows(source: lockedSource, values: [.integers(rowIDs)])
    }
  }

  private let table: String
  private let assignments: SQLFragment
  private let differs: SQLFragment

  init(
    _ values: [(name: String, value: SQLFragment)], of plan: EntityPlan, in store: PostgresStore
  ) throws {
    table = SQLIdentifier.quoted(plan.table)
    var assignments = SQLFragment("")
    var differs = SQLFragment("(")
    for (index, (name, value)) in values.enumerated() {
      assignments.append(index == 0 ? "\(name) = " : ", \(name) = ")
      assignments.append(value)
      differs.append(index == 0 ? "" : " OR ")
      differs.append("t0.\(name) IS DISTINCT FROM ")
      differs.append(value)
    }
    differs.append(")")
    self.assignments = assignments
    self.differs = differs
  }

  /// The finished text; for locked rows when `source` is nil.
  func text(_ source: String?) -> String {
    let source = source ?? Rows.lockedSource
    let condition = source.isEmpty ? "TRUE" : "(\(source.dropFirst(" WHERE ".count)))"
    // A row that already has the values isn't written.
    var sql = "UPDATE \(table) AS t0 SET \(assignments.sql) WHERE \(condition) AND "
    // Evaluated for matching rows only: AND may evaluate its operands in any order.
    sql +=
      differs.canFail
      ? "CASE WHEN \(condition) THEN \(differs.sql) ELSE FALSE END" : differs.sql
    return PostgresStatementText.finished(sql)
  }

  func command(_ rows: Rows) -> PostgresCommand {
    let values =
      assignments.bindings.map { PostgresValue.value($0) } + rows.values
      + (differs.canFail ? rows.values : []) + differs.bindings.map { .value($0) }
    return PostgresCommand(text(rows.source), values)
  }
}
