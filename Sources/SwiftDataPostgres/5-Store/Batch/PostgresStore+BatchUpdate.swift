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
    let values = try update.columns.flatMap { columns -> [BatchUpdateStatement.Assignment] in
      switch columns {
      case .value(let position, let fragment): return [.init(column: position, value: fragment)]
      case .row(let positions, var row):
        try cipher[plan]?.seal(&row, columns: positions)
        return positions.enumerated().map { cell, position in
          .init(
            column: position, value: SQLFragment(binding: ColumnValue(row.cells[cell], bytes: row)))
        }
      }
    }
    let rows = try rows(predicate, of: plan)
    let statement = BatchUpdateStatement(values, of: plan)
    // An expression may have a form that the server has no type for.
    guard try accepts(statement.text(rows?.source)) else { return nil }
    let count = try writing(author: author) { connection, recording in
      let affected = try rows ?? self.lockedRows(predicate, on: connection)
      var count = 0
      func record(_ cells: UnsafeBufferPointer<_Cell>) {
        count += 1
        statement.record(cells, in: recording, self.historyPlans)
      }
      try self.evaluating {
        guard let exchange = statement.exchange(self.configuration.features) else {
          return try connection.forEachRow(of: statement.command(affected), record)
        }
        let result = try exchange.run(affected, connection)
        let reader = PostgresRowReader(result)
        for row in 0..<result.rowCount { record(reader.cells(of: result, row)) }
      }
      return count
    }
    progress?(count)
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
    return .locked(rows.sorted())
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

  /// The new value of a column.
  struct Assignment {
    let column: Int
    let value: SQLFragment
  }

  let plan: EntityPlan
  let table: String
  let values: [Assignment]
  private let assignments: SQLFragment
  private let differs: SQLFragment
  /// The changed properties of each row.
  let properties: [Int]
  /// Whether each property differs in a row; nil for only one, which differs in every row that is written.
  let differences: SQLFragment?

  init(_ values: [Assignment], of plan: EntityPlan) {
    self.plan = plan
    self.values = values
    table = SQLIdentifier.quoted(plan.table)
    var assignments = SQLFragment("")
    for (index, assignment) in values.enumerated() {
      let name = SQLIdentifier.quoted(plan.columns[assignment.column].name)
      assignments.append(index == 0 ? "\(name) = " : ", \(name) = ")
      assignments.append(assignment.value)
    }
    self.assignments = assignments
    differs = Self.differ(values, plan)
    var properties: [Int] = []
    for assignment in values {
      let property = plan.columns[assignment.column].property
      if !properties.contains(property) { properties.append(property) }
    }
    self.properties = properties
    var differences = SQLFragment("")
    for property in properties {
      differences.append(", ")
      differences.append(
        Self.differ(values.filter { plan.columns[$0.column].property == property }, plan))
    }
    self.differences = properties.count > 1 ? differences : nil
  }

  private static func differ(_ values: [Assignment], _ plan: EntityPlan) -> SQLFragment {
    var differs = SQLFragment("(")
    for (index, assignment) in values.enumerated() {
      let name = SQLIdentifier.quoted(plan.columns[assignment.column].name)
      differs.append(index == 0 ? "" : " OR ")
      differs.append("t0.\(name) IS DISTINCT FROM ")
      differs.append(assignment.value)
    }
    differs.append(")")
    return differs
  }

  // MARK: - SQL

  /// The finished text; for locked rows when `source` is nil. It returns the ID and the class of each row that is
  /// written, and which properties differ.
  func text(_ source: String?) -> String {
    let (condition, test) = conditions(source ?? Rows.lockedSource)
    let id = SQLIdentifier.rowID
    let columns = "t0.\(id)\(plan.entityColumn(in: "t0."))"
    let update = "UPDATE \(table) AS t0 SET \(assignments.sql)"
    guard let differences else {
      return PostgresStatementText.finished(
        "\(update) WHERE \(condition) AND \(test) RETURNING \(columns)")
    }
    // The rows are locked when they are compared, so that nobody changes them in between.
    return PostgresStatementText.finished(
      "WITH o AS (SELECT \(columns)\(differences.sql) FROM \(table) AS t0"
        + " WHERE \(condition) AND \(test) FOR NO KEY UPDATE OF t0),"
        + " u AS (\(update) FROM o WHERE t0.\(id) = o.\(id)) SELECT * FROM o")
  }

  /// The condition for the rows, and the one for those that are written: not for rows that already have the values.
  func conditions(_ source: String) -> (condition: String, test: String) {
    let condition = source.isEmpty ? "TRUE" : "(\(source.dropFirst(" WHERE ".count)))"
    // Evaluated for matching rows only: AND may evaluate its operands in any order.
    let test =
      differs.canFail
      ? "CASE WHEN \(condition) THEN \(differs.sql) ELSE FALSE END" : differs.sql
    return (condition, test)
  }

  /// The parameters of ``conditions(_:)``.
  func conditionValues(_ rows: Rows) -> [PostgresValue] {
    rows.values + (differs.canFail ? rows.values : []) + Self.values(of: differs)
  }

  func command(_ rows: Rows) -> PostgresCommand {
    let tests = conditionValues(rows)
    let assigned = Self.values(of: assignments)
    let values = differences.map { Self.values(of: $0) + tests + assigned } ?? assigned + tests
    return PostgresCommand(text(rows.source), values)
  }

  static func values(of fragment: SQLFragment) -> [PostgresValue] {
    fragment.bindings.map { .value($0) }
  }

  // MARK: - History

  /// Records a row that the statement returns.
  func record(
    _ cells: UnsafeBufferPointer<_Cell>, in recording: HistoryRecording, _ plans: HistoryPlans
  ) {
    var mask = ChangeMask()
    let first = plan.family == nil ? 1 : 2
    for (place, property) in properties.enumerated()
    where differences == nil || cells[first + place].bits != 0 {
      mask.insert(property)
    }
    let entity = plan.family == nil ? nil : ColumnValue(cells[1]).text
    recording.update(
      [cells[0].bits], mask, of: entity.flatMap { plans.plansByName[$0] } ?? plan)
  }
}
