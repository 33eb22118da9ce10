import SwiftDataCore
import SwiftDataSQL

/// The statements that write rows of one entity by their unique values. The new rows `v` are lists of values.
struct MergeStatements {
  private let plan: EntityPlan
  private let table: String
  private let names: [String]
  /// The columns that existing rows get: neither unique ones nor those that rows keep.
  let updated: [Int]
  /// The columns of each uniqueness constraint.
  let constraints: [[Int]]
  /// Whether rows are updated by the versions with which they were compared. With several constraints, two new rows may
  /// be one stored row.
  let hasVersions: Bool

  init(_ plan: EntityPlan, keeping kept: [Int], hasVersions: Bool) {
    self.plan = plan
    self.hasVersions = hasVersions && plan.uniqueness.count == 1
    table = SQLIdentifier.quoted(plan.table)
    names = plan.columns.map { SQLIdentifier.quoted($0.name) }
    constraints = plan.uniqueness
    let keptColumns = Set(kept.flatMap { Array(plan.properties[$0].columns) })
    // With one constraint its values are equal where a row is found by them.
    let keys = constraints.count == 1 ? Set(constraints[0]) : []
    updated = plan.columns.indices.filter { !keptColumns.contains($0) && !keys.contains($0) }
  }

  // MARK: - Finding rows

  /// Returns the positions of the new rows that exist, the IDs of the stored rows, the columns that they may get, and
  /// their versions where these are used.
  ///
  /// - Parameters:
  ///   - source: A ``RowBatch/source`` of the constraint's columns, in their order.
  func lookup(from source: String, by constraint: [Int]) -> String {
    let values = updated.map { ", t.\(names[$0])" }.joined() + (hasVersions ? ", t.xmin" : "")
    return "SELECT v.id, t.\(SQLIdentifier.rowID)\(values) FROM \(source) JOIN \(table) AS t"
      + " ON \(match(constraint) { "v.c\($0)" })"
  }

  /// The column of ``lookup(from:by:)`` with the versions.
  var versionColumn: Int { 2 + updated.count }

  /// The kinds of the columns of ``lookup(from:by:)``.
  var lookupKinds: [ColumnKind?] {
    [nil, nil]
      + updated.map { column in
        let kind = plan.columns[column].kind
        return plan.properties[plan.columns[column].property].storage.isEncrypted ? .data : kind
      }
  }

  /// The condition for the row `t` that has unique values.
  ///
  /// - Parameter value: The new value of a column, by its place in the constraint.
  private func match(_ constraint: [Int], _ value: (Int) -> String) -> String {
    var conditions = constraint.enumerated().map { "t.\(names[$1]) = \(value($0))" }
    if plan.family != nil {
      conditions.append(
        "t.\(SQLIdentifier.quoted(EntityFamily.discriminator))"
          + " = \(SQLIdentifier.literal(plan.name))")
    }
    return conditions.joined(separator: " AND ")
  }

  // MARK: - Updates

  /// The condition for other values in `t` than in `new`; nil when no column is compared.
  private func differs(from new: (Int) -> String) -> String? {
    guard !updated.isEmpty else { return nil }
    let tests = updated.map { RowBatch.differ("t.\(names[$0])", new($0), $0, in: plan) }
    return "(\(tests.joined(separator: " OR ")))"
  }

  private func assignments(_ new: (Int) -> String) -> String {
    updated.map { "\(names[$0]) = \(new($0))" }.joined(separator: ", ")
  }

  /// The changed properties of a row that ``update(from:)`` returns.
  func differences(_ result: PostgresResult, _ row: Int) -> ChangeMask {
    RowBatch.differences(result, row, of: updated, in: plan)
  }

  /// The property of a column.
  func property(of column: Int) -> Int { plan.columns[column].property }

  /// Whether equal values of a column may have different digits.
  func isNumeric(_ column: Int) -> Bool { RowBatch.type(of: column, in: plan) == .numeric }

  /// All properties that rows may get.
  var allDifferences: ChangeMask {
    var mask = ChangeMask()
    for column in updated { mask.insert(plan.columns[column].property) }
    return mask
  }

  /// Updates the rows that differ, by their IDs, and returns these and whether each column differed, see
  /// ``RowBatch/comparingUpdate(of:in:from:where:onlyDifferent:)``. A row that has another unique value by now is left
  /// alone.
  ///
  /// - Parameter source: A ``RowBatch/source`` of all columns whose IDs are those of the stored rows.
  /// - Returns: nil when rows that exist stay as they are.
  func update(from source: String) -> String? {
    guard !updated.isEmpty else { return nil }
    var conditions = ["t.\(SQLIdentifier.rowID) = v.id"]
    if constraints.count == 1 {
      conditions.append(match(constraints[0]) { "v.c\(constraints[0][$0])" })
    }
    return RowBatch.comparingUpdate(
      of: updated.map { ($0, $0) }, in: plan, from: source, where: conditions,
      onlyDifferent: true)
  }

  // MARK: - Insertions

  /// Inserts rows, and returns their IDs. A row that another transaction has inserted meanwhile is updated and keeps
  /// its ID.
  ///
  /// - Parameter source: A ``RowBatch/source`` of all columns whose IDs are those of the new rows.
  func insertion(from source: String) -> String {
    var columns = [SQLIdentifier.rowID]
    var values = ["v.id"]
    if plan.family != nil {
      columns.append(SQLIdentifier.quoted(EntityFamily.discriminator))
      values.append(SQLIdentifier.literal(plan.name))
    }
    columns += names
    values += names.indices.map { "v.c\($0)" }
    var sql =
      "INSERT INTO \(table) AS t (\(columns.joined(separator: ", ")))"
      + " SELECT \(values.joined(separator: ", ")) FROM \(source)"
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
