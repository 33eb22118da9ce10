import SwiftDataCore
import SwiftDataSQL

/// The SQL texts that every store needs for an entity, made once.
struct EntityStatements: Sendable {
  let plan: EntityPlan
  let table: String
  /// Row id and all columns, without a condition.
  let select: String
  let selectByRowID: String
  /// A plain insertion with a given row id, for rows that must exist again.
  let insertWithRowID: String
  /// An insertion that turns into an update of the row with the same unique value, and into nothing when that
  /// row is equal already (https://sqlite.org/lang_upsert.html).
  let upsert: String
  let delete: String
  /// Turns columns that are stored in another form; nil when there are none.
  let codec: ColumnCodec?

  init(_ plan: EntityPlan, codec: ColumnCodec? = nil) {
    self.plan = plan
    self.codec = codec
    table = SQLIdentifier.quoted(plan.name)
    let columns = plan.columns.map { SQLIdentifier.quoted($0.name) }
    let list = columns.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    select = "SELECT \"_id\"\(columns.isEmpty ? "" : ", ")\(list) FROM \(table) AS t0"
    selectByRowID =
      "SELECT \(columns.isEmpty ? "\"_id\"" : list) FROM \(table) WHERE \"_id\" = ?"
    insertWithRowID =
      "INSERT INTO \(table) (\"_id\"\(columns.isEmpty ? "" : ", ")\(list))"
      + " VALUES (?\(columns.isEmpty ? "" : ", ")\(marks))"
    delete = "DELETE FROM \(table) WHERE \"_id\" = ?"
    let insert =
      columns.isEmpty
      ? "INSERT INTO \(table) DEFAULT VALUES" : "INSERT INTO \(table) (\(list)) VALUES (\(marks))"
    upsert = insert + Self.conflictClauses(plan, columns, table)
  }

  /// Calls `body` with the cells of a row as models read them.
  func withPlainCells<Result>(
    _ cells: UnsafeBufferPointer<_Cell>,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Result
  ) throws -> Result {
    guard let codec else { return try body(cells) }
    return try codec.open(cells, body)
  }

  private static func conflictClauses(
    _ plan: EntityPlan, _ columns: [String], _ table: String
  ) -> String {
    plan.uniqueness.map { constraint in
      let target = constraint.map { columns[$0] }.joined(separator: ", ")
      let rest = columns.indices.filter { !constraint.contains($0) }
      guard !rest.isEmpty else { return " ON CONFLICT (\(target)) DO NOTHING" }
      let assignments = rest.map { "\(columns[$0]) = excluded.\(columns[$0])" }
      let stored = rest.map { "\(table).\(columns[$0])" }.joined(separator: ", ")
      let excluded = rest.map { "excluded.\(columns[$0])" }.joined(separator: ", ")
      return " ON CONFLICT (\(target)) DO UPDATE SET \(assignments.joined(separator: ", "))"
        + " WHERE (\(stored)) IS NOT (\(excluded))"
    }.joined()
  }

  /// As ``select`` with NULL in place of the columns of all other properties, so that the rest keeps its place.
  func select(properties: [Int]) -> String {
    let wanted = Set(properties.flatMap { Array(plan.properties[$0].columns) })
    let columns = plan.columns.indices.map { index in
      wanted.contains(index) ? SQLIdentifier.quoted(plan.columns[index].name) : "NULL"
    }
    return "SELECT " + (["\"_id\""] + columns).joined(separator: ", ") + " FROM \(table) AS t0"
  }

  /// Finds the row that has the unique values of `constraint`.
  /// The owner, the row id and the columns of the rows that a relationship of some owners leads to. The owners stand
  /// in a JSON array; the table of this entity is the destination's.
  func selectLinked(_ relationship: RelationshipPlan) throws -> String {
    let owners = "IN (SELECT value FROM json_each(?))"
    let columns = plan.columns.map { ", t0." + SQLIdentifier.quoted($0.name) }.joined()
    if let join = relationship.joinTable {
      let owner = "j." + SQLIdentifier.quoted(join.ownerColumn)
      return "SELECT \(owner), t0.\"_id\"\(columns) FROM \(SQLIdentifier.quoted(join.name)) AS j"
        + " JOIN \(table) AS t0 ON t0.\"_id\" = j.\(SQLIdentifier.quoted(join.destinationColumn))"
        + " WHERE \(owner) \(owners) ORDER BY \(owner), t0.\"_id\""
    }
    guard let inverse = relationship.inverse,
      let column = plan.properties[inverse].columns.first
    else {
      throw SwiftDataError.unknownSchema.explained(
        "The relationship to \(plan.name) has neither a column nor a table.")
    }
    let key = "t0." + SQLIdentifier.quoted(plan.columns[column].name)
    return "SELECT \(key), t0.\"_id\"\(columns) FROM \(table) AS t0 WHERE \(key) \(owners)"
      + " ORDER BY \(key), t0.\"_id\""
  }

  func lookUp(_ constraint: [Int]) -> String {
    let condition = constraint.map { "\(SQLIdentifier.quoted(plan.columns[$0].name)) = ?" }
    return "SELECT \"_id\" FROM \(table) WHERE \(condition.joined(separator: " AND "))"
  }

  /// Writes some columns of a row.
  func update(columns: [Int]) -> String {
    let assignments = columns.map { "\(SQLIdentifier.quoted(plan.columns[$0].name)) = ?" }
    return "UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE \"_id\" = ?"
  }
}
