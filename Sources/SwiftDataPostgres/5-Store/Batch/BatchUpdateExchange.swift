import SwiftDataCore
import SwiftDataSQL

extension BatchUpdateStatement {
  /// The statements for an update that sets unique columns; nil for another one.
  func exchange(_ features: PostgresFeatures) -> BatchUpdateExchange? {
    let placeholders = UniquePlaceholders.assignments(plan, columns: values.map(\.column))
    return placeholders.isEmpty
      ? nil : BatchUpdateExchange(update: self, placeholders: placeholders, features: features)
  }
}

/// An update by which rows may pass their unique values on to each other. The server checks each row when it is
/// written: when it refuses one, the new values are computed first, and all rows get placeholders before them.
struct BatchUpdateExchange {
  private static let newValues = "\"_new_values\""

  let update: BatchUpdateStatement
  /// The assignments of placeholders.
  let placeholders: [String]
  let features: PostgresFeatures

  /// Updates rows in an open transaction.
  ///
  /// - Returns: The rows as ``BatchUpdateStatement/text(_:)`` returns them.
  func run(
    _ rows: BatchUpdateStatement.Rows, _ connection: PostgresConnection
  ) throws -> PostgresResult {
    do {
      return try connection.transaction { try connection.run(update.command(rows)) }
    } catch let error as StoreError where error.code == .notUnique {
      return try runWithPlaceholders(rows, connection)
    }
  }

  private func runWithPlaceholders(
    _ rows: BatchUpdateStatement.Rows, _ connection: PostgresConnection
  ) throws -> PostgresResult {
    let id = SQLIdentifier.rowID
    let own = " FROM \(Self.newValues) AS n WHERE t0.\(id) = n.id"
    let assignments = update.values.enumerated().map { place, assignment in
      "\(SQLIdentifier.quoted(update.plan.columns[assignment.column].name)) = n.v\(place)"
    }
    let target = "UPDATE \(update.table) AS t0 SET "
    try connection.run([
      command(
        "SELECT count(*) FROM (SELECT 1 FROM \(update.table) AS t0\(rows.source)"
          + " FOR NO KEY UPDATE OF t0) AS locked", rows.values),
      command(creation),
    ])
    let results = try connection.run([
      insertion(rows),
      command(target + placeholders.joined(separator: ", ") + own),
      command(target + assignments.joined(separator: ", ") + own),
      command("SELECT \(answer.joined(separator: ", ")) FROM \(Self.newValues) ORDER BY id"),
      command("DROP TABLE \(Self.newValues)"),
    ])
    return results[3]
  }

  private func command(_ sql: String, _ values: [PostgresValue] = []) -> PostgresCommand {
    PostgresCommand(PostgresStatementText.finished(sql), values)
  }

  private var differences: [String] {
    update.differences == nil ? [] : update.properties.indices.map { "d\($0)" }
  }

  private var answer: [String] {
    ["id"] + (update.plan.family == nil ? [] : ["entity"]) + differences
  }

  /// Creates a table for the new values, with the columns' types.
  private var creation: String {
    var columns = ["\(SQLIdentifier.rowID) AS id"]
    if update.plan.family != nil {
      columns.append("\(SQLIdentifier.quoted(EntityFamily.discriminator)) AS entity")
    }
    columns += differences.map { "FALSE AS \($0)" }
    columns += update.values.enumerated().map { place, assignment in
      "\(SQLIdentifier.quoted(update.plan.columns[assignment.column].name)) AS v\(place)"
    }
    let table =
      features.contains(.temporaryTables)
      ? "TEMPORARY TABLE \(Self.newValues) ON COMMIT DROP" : "TABLE \(Self.newValues)"
    return "CREATE \(table) AS"
      + " SELECT \(columns.joined(separator: ", ")) FROM \(update.table) WITH NO DATA"
  }

  private func insertion(_ rows: BatchUpdateStatement.Rows) -> PostgresCommand {
    var columns = SQLFragment("t0.\(SQLIdentifier.rowID)\(update.plan.entityColumn(in: "t0."))")
    if let differences = update.differences { columns.append(differences) }
    for assignment in update.values {
      columns.append(", ")
      columns.append(assignment.value)
    }
    let (condition, test) = update.conditions(rows.source)
    return command(
      "INSERT INTO \(Self.newValues) SELECT \(columns.sql) FROM \(update.table) AS t0"
        + " WHERE \(condition) AND \(test)",
      BatchUpdateStatement.values(of: columns) + update.conditionValues(rows))
  }
}
