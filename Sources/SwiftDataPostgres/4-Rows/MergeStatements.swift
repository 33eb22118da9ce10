import SwiftDataCore
import SwiftDataSQL

/// The statements that write rows of one entity by their unique values. The new rows `v` are in lists of values or in a
/// temporary table, with the columns `id`, which is their position in the batch, `c0`, `c1` and so on.
struct MergeStatements {
  /// The name of the temporary table.
  static let temporaryTable = "\"_batch\""

  private let plan: EntityPlan
  private let table: String
  private let names: [String]
  /// The columns that existing rows get: neither unique ones nor those that rows keep.
  private let updated: [Int]
  /// The columns of each uniqueness constraint.
  let constraints: [[Int]]

  init(_ plan: EntityPlan, keeping kept: [Int]) {
    self.plan = plan
    table = SQLIdentifier.quoted(plan.table)
    names = plan.columns.map { SQLIdentifier.quoted($0.name) }
    constraints = plan.uniqueness
    let keptColumns = Set(kept.flatMap { Array(plan.properties[$0].columns) })
    // With one constraint its values are equal where a row is found by them.
    let keys = constraints.count == 1 ? Set(constraints[0]) : []
    updated = plan.columns.indices.filter { !keptColumns.contains($0) && !keys.contains($0) }
  }

  /// Creates the temporary table, which ends with the transaction.
  var creation: String {
    let columns = names.enumerated().map { "\($1) AS c\($0)" }
    return "CREATE TEMPORARY TABLE IF NOT EXISTS \(Self.temporaryTable) ON COMMIT DROP AS SELECT"
      + " \((["\(SQLIdentifier.rowID) AS id"] + columns).joined(separator: ", "))"
      + " FROM \(table) WITH NO DATA"
  }

  var copiedColumns: [String] { ["id"] + names.indices.map { "c\($0)" } }

  /// The condition for the row `t` that has the unique values of `v`.
  private func match(_ constraint: [Int]) -> String {
    var conditions = constraint.map { "t.\(names[$0]) = v.c\($0)" }
    if plan.family != nil {
      conditions.append(
        "t.\(SQLIdentifier.quoted(EntityFamily.discriminator))"
          + " = \(SQLIdentifier.literal(plan.name))")
    }
    return conditions.joined(separator: " AND ")
  }

  /// The condition for other values in `t` than in `new`; nil when no column is compared.
  private func differs(from new: (Int) -> String) -> String? {
    guard !updated.isEmpty else { return nil }
    let tests = updated.map { RowBatch.differ("t.\(names[$0])", new($0), $0, in: plan) }
    return "(\(tests.joined(separator: " OR ")))"
  }

  private func assignments(_ new: (Int) -> String) -> String {
    updated.map { "\(names[$0]) = \(new($0))" }.joined(separator: ", ")
  }

  /// Whether each of the updated columns differs in the row `t`, behind commas, as `d0`, `d1` and so on.
  private func differences(in row: String) -> String {
    updated.map { column in
      ", \(RowBatch.differ("\(row).\(names[column])", "v.c\(column)", column, in: plan)) AS d\(column)"
    }.joined()
  }

  /// The changed properties of a row that ``update(from:)`` and ``updateByRowID(from:)`` return.
  func differences(_ result: PostgresResult, _ row: Int) -> ChangeMask {
    var mask = ChangeMask()
    for (place, column) in updated.enumerated() where result.isTrue(row, place + 2) {
      mask.insert(plan.columns[column].property)
    }
    return mask
  }

  /// All properties that rows may get.
  var allDifferences: ChangeMask {
    var mask = ChangeMask()
    for column in updated { mask.insert(plan.columns[column].property) }
    return mask
  }

  /// Updates the rows that exist and differ, and returns the positions, the row IDs and whether each column differed.
  /// The rows are locked when they are compared, in the order of their IDs, so that batches don't wait for each other in a
  /// circle. nil when rows that exist stay as they are.
  func update(from source: String) -> String? {
    guard let differs = differs(from: { "v.c\($0)" }) else { return nil }
    let id = SQLIdentifier.rowID
    return "WITH n AS MATERIALIZED (SELECT v.*, t.\(id) AS target\(differences(in: "t"))"
      + " FROM \(source) JOIN \(table) AS t ON \(match(constraints.first ?? []))"
      + " WHERE \(differs) ORDER BY t.\(id) FOR NO KEY UPDATE OF t),"
      + " u AS (UPDATE \(table) AS t SET \(assignments { "n.c\($0)" }) FROM n WHERE t.\(id) = n.target)"
      + " SELECT id, target\(updated.map { ", d\($0)" }.joined()) FROM n"
  }

  /// Returns the positions of the rows that don't exist.
  func missing(from source: String) -> String {
    "SELECT v.id FROM \(source) WHERE NOT EXISTS"
      + " (SELECT 1 FROM \(table) AS t WHERE \(match(constraints.first ?? [])))"
  }

  /// Returns the positions of the rows that exist, with their IDs, and locks them.
  func existing(from source: String, by constraint: [Int]) -> String {
    "SELECT v.id, t.\(SQLIdentifier.rowID) FROM \(source) JOIN \(table) AS t"
      + " ON \(match(constraint)) ORDER BY t.\(SQLIdentifier.rowID) FOR NO KEY UPDATE OF t"
  }

  /// Updates locked rows by their IDs as ``update(from:)`` does; the parameters are positions and IDs.
  func updateByRowID(from source: String) -> String? {
    guard let differs = differs(from: { "v.c\($0)" }) else { return nil }
    return "UPDATE \(table) AS t SET \(assignments { "v.c\($0)" }) FROM \(source)"
      + " JOIN unnest(?::bigint[], ?::bigint[]) AS n(place, target) ON n.place = v.id"
      + " JOIN \(table) AS o ON o.\(SQLIdentifier.rowID) = n.target"
      + " WHERE t.\(SQLIdentifier.rowID) = n.target AND \(differs)"
      + " RETURNING v.id, t.\(SQLIdentifier.rowID)\(differences(in: "o"))"
  }

  /// Inserts rows by positions and new IDs, and returns the IDs. A row that another transaction has inserted meanwhile is
  /// updated and keeps its ID.
  func insertion(from source: String) -> String {
    var columns = [SQLIdentifier.rowID]
    var values = ["n.target"]
    if plan.family != nil {
      columns.append(SQLIdentifier.quoted(EntityFamily.discriminator))
      values.append(SQLIdentifier.literal(plan.name))
    }
    columns += names
    values += names.indices.map { "v.c\($0)" }
    var sql =
      "INSERT INTO \(table) AS t (\(columns.joined(separator: ", ")))"
      + " SELECT \(values.joined(separator: ", ")) FROM \(source)"
      + " JOIN unnest(?::bigint[], ?::bigint[]) AS n(place, target) ON n.place = v.id"
    // In one order, so that batches with the same values don't wait for each other in a circle.
    if let first = constraints.first {
      sql += " ORDER BY " + first.map { "v.c\($0)" }.joined(separator: ", ")
    }
    // The unique values of another class aren't this row's.
    if constraints.count == 1, plan.family == nil {
      let keys = constraints[0].map { names[$0] }
      sql += " ON CONFLICT (\(keys.joined(separator: ", "))) DO "
      if let differs = differs(from: { "excluded.\(names[$0])" }) {
        sql += "UPDATE SET \(assignments { "excluded.\(names[$0])" }) WHERE \(differs)"
      } else {
        sql += "NOTHING"
      }
    }
    return sql + " RETURNING t.\(SQLIdentifier.rowID)"
  }
}
