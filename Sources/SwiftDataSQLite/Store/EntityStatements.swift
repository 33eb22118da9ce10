import SwiftDataCore
import SwiftDataSQL

/// The SQL texts that every store needs for an entity, made once. A class, because it goes with every row that is read.
final class EntityStatements: Sendable {
  let plan: EntityPlan
  let table: String
  /// Row id and all columns, without a condition.
  let select: String
  let selectByRowID: StatementText
  let selectRun: RowRuns.Texts
  /// A plain insertion with a given row id, for rows that must exist again.
  let insertWithRowID: String
  private let insert: String
  /// What stands for a row in `VALUES`.
  private let row: String
  /// An insertion that turns into an update of the row with the same unique value, and into nothing when that
  /// row is equal already (https://sqlite.org/lang_upsert.html).
  let upsert: String
  /// The same with the row id as the first parameter, used when it is an insertion.
  let upsertWithRowID: String
  let delete: StatementText
  /// Deletes the rows whose ids stand in a JSON array.
  let deleteMany: String
  /// Finds out whether a row still has some values: one parameter a column, then the row id.
  let isUnchanged: String
  /// Turns columns that are stored in another form; nil when there are none.
  let codec: ColumnCodec?
  /// How rows of subclasses are told apart; nil for a class alone.
  let family: FamilyRows?
  /// Which rows of the table are this entity's; nil when all are.
  let condition: String?
  /// The columns that ``DefaultStore`` reads of each row.
  let rowColumns: String
  /// Whether an R*Tree or a text index may narrow a search down.
  let isSearchable: Bool

  init(_ plan: EntityPlan, codec: ColumnCodec? = nil) {
    self.plan = plan
    self.codec = codec
    table = SQLIdentifier.quoted(plan.table)
    family = FamilyRows(plan)
    condition = FamilyRows.condition(plan)
    isSearchable =
      !plan.spatialIndices.isEmpty || !SearchTables.textColumns(of: plan).isEmpty
    let columns = plan.columns.map { SQLIdentifier.quoted($0.name) }
    rowColumns = (family?.columns ?? columns).map { ", t0." + $0 }.joined()
    select = "SELECT t0.\"_id\"\(rowColumns) FROM \(table) AS t0"
    selectByRowID = StatementText(
      select + " WHERE t0.\"_id\" = ?" + (condition.map { " AND \($0)" } ?? ""))
    selectRun = RowRuns.Texts(select)
    // The entity is a part of the statement: all its rows have the same.
    let entity = plan.family.map { _ in
      ("\(SQLIdentifier.quoted(EntityFamily.discriminator))", SQLIdentifier.literal(plan.name))
    }
    let names = ([entity?.0].compactMap { $0 } + columns).joined(separator: ", ")
    let values = ([entity?.1].compactMap { $0 } + columns.map { _ in "?" }).joined(separator: ", ")
    insertWithRowID =
      "INSERT INTO \(table) (\"_id\"\(names.isEmpty ? "" : ", ")\(names))"
      + " VALUES (?\(values.isEmpty ? "" : ", ")\(values))"
    delete = StatementText("DELETE FROM \(table) WHERE \"_id\" = ?")
    deleteMany = "DELETE FROM \(table) WHERE \"_id\" IN (SELECT value FROM json_each(?))"
    isUnchanged =
      "SELECT 1 FROM \(table) WHERE " + columns.map { "\($0) IS ? AND " }.joined()
      + "\"_id\" = ?"
    row = "(\(values))"
    insert =
      names.isEmpty
      ? "INSERT INTO \(table) DEFAULT VALUES"
      : "INSERT INTO \(table) (\(names)) VALUES \(row)"
    let conflicts = Self.conflictClauses(plan, table)
    upsert = insert + conflicts
    upsertWithRowID = insertWithRowID + conflicts
  }

  /// Whether the table has triggers beside the one that keeps the numbers of its rows.
  func hasOtherTriggers(on connection: Connection) throws -> Bool {
    let count = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND name <> ?",
      [.text(plan.table), .text(RowNumbers.trigger(of: plan).name)])
    return count != 0
  }

  /// Whether the rows of a query are the models' as they are.
  var isPlain: Bool { family == nil && codec == nil }

  /// Calls `body` with the cells of a row as models read them.
  func withPlainCells<Result>(
    _ cells: UnsafeBufferPointer<_Cell>,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Result
  ) throws -> Result {
    guard let codec else { return try body(cells) }
    return try codec.open(cells, body)
  }

  /// An insertion that does nothing when a row with the same unique value is there, and the same with the row id as the
  /// first parameter.
  var insertsIfNew: (plain: String, withRowID: String) {
    (insert + " ON CONFLICT DO NOTHING", insertWithRowID + " ON CONFLICT DO NOTHING")
  }

  /// An insertion of several rows that leaves those out that can't be inserted. Rows without columns have none.
  func insertion(of count: Int) -> String {
    "INSERT OR IGNORE" + insert.dropFirst("INSERT".count)
      + String(repeating: ", \(row)", count: count - 1)
  }

  /// Looks rows up by the unique values of `constraint`, several at a time: the position of the values, the row's id and
  /// some of its columns. Rows of other classes aren't found.
  func look(up count: Int, by constraint: [Int], _ columns: [Int]) -> String {
    let keys = constraint.indices.map { "k\($0)" }
    let values = (0..<count).map { "(\($0)\(String(repeating: ", ?", count: keys.count)))" }
    let wanted = columns.map { ", t0." + SQLIdentifier.quoted(plan.columns[$0].name) }.joined()
    // Of the very class, as the upsert has it: a row of a subclass isn't replaced either.
    let entity = plan.family.map { _ in
      "t0.\(SQLIdentifier.quoted(EntityFamily.discriminator)) = \(SQLIdentifier.literal(plan.name))"
    }
    let conditions =
      zip(constraint, keys).map { "t0.\(SQLIdentifier.quoted(plan.columns[$0].name)) = v.\($1)" }
      + [entity].compactMap { $0 }
    return "WITH v (position, \(keys.joined(separator: ", "))) AS (VALUES"
      + " \(values.joined(separator: ", "))) SELECT v.position, t0.\"_id\"\(wanted)"
      // The order of a CROSS JOIN is kept (https://sqlite.org/optoverview.html).
      + " FROM v CROSS JOIN \(table) AS t0 WHERE \(conditions.joined(separator: " AND "))"
  }

  /// Reads at most `count` rows by their ids, from behind or before the first parameter on: the row's id and some of its
  /// columns.
  func read(_ count: Int, _ columns: [Int], descending: Bool) -> String {
    let wanted = columns.map { ", " + SQLIdentifier.quoted(plan.columns[$0].name) }.joined()
    return "SELECT \"_id\"\(wanted) FROM \(table) WHERE \"_id\" \(descending ? "<" : ">") ?"
      + " ORDER BY \"_id\"\(descending ? " DESC" : "") LIMIT \(count)"
  }

  /// The columns that an upsert by `constraint` sets.
  static func upsertedColumns(
    _ plan: EntityPlan, _ constraint: [Int], _ keptProperties: [Int]
  ) -> [Int] {
    let kept = Set(keptProperties.flatMap { Array(plan.properties[$0].columns) })
    return plan.columns.indices.filter { !constraint.contains($0) && !kept.contains($0) }
  }

  /// As ``upsert`` and ``upsertWithRowID``, but a row that exists keeps the values of some properties.
  func upserts(keeping properties: [Int]) -> (plain: String, withRowID: String) {
    let conflicts = Self.conflictClauses(plan, table, keeping: properties)
    return (insert + conflicts, insertWithRowID + conflicts)
  }

  private static func conflictClauses(
    _ plan: EntityPlan, _ table: String, keeping kept: [Int] = []
  ) -> String {
    if hasOneConflictClause(plan) {
      let keys = plan.uniqueness.map { constraint in
        "WHEN \(tuple(constraint, of: table, plan)) = \(tuple(constraint, of: "excluded", plan)) THEN 1"
      }
      // An index of another program is no reason to change its row.
      return conflictClause(
        plan, table, on: "", upsertedColumns(plan, [], kept),
        if: "CASE \(keys.joined(separator: " ")) ELSE 0 END AND ")
    }
    return plan.uniqueness.map { constraint in
      let target = constraint.map { SQLIdentifier.quoted(plan.columns[$0].name) }
      return conflictClause(
        plan, table, on: " (\(target.joined(separator: ", ")))",
        upsertedColumns(plan, constraint, kept))
    }.joined()
  }

  private static func conflictClause(
    _ plan: EntityPlan, _ table: String, on target: String, _ columns: [Int],
    if condition: String = ""
  ) -> String {
    guard !columns.isEmpty else { return " ON CONFLICT\(target) DO NOTHING" }
    // A row of another class keeps what it has; the caller finds it and says so.
    let entity = SQLIdentifier.quoted(EntityFamily.discriminator)
    let sameEntity = plan.family == nil ? "" : "\(table).\(entity) = excluded.\(entity) AND "
    let names = columns.map { SQLIdentifier.quoted(plan.columns[$0].name) }
    let assignments = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return " ON CONFLICT\(target) DO UPDATE SET \(assignments)"
      + " WHERE \(sameEntity)\(condition)"
      + "\(tuple(columns, of: table, plan)) IS NOT \(tuple(columns, of: "excluded", plan))"
  }

  /// Some columns of a row as one value.
  private static func tuple(_ columns: [Int], of row: String, _ plan: EntityPlan) -> String {
    let names = columns.map { "\(row).\(SQLIdentifier.quoted(plan.columns[$0].name))" }
    return "(\(names.joined(separator: ", ")))"
  }

  /// Whether one clause without a target serves all unique keys. SQLite's grammar nests each `ON CONFLICT` clause in the
  /// one before it, and from the eighth on the parser's stack of 100 entries overflows.
  static func hasOneConflictClause(_ plan: EntityPlan) -> Bool { plan.uniqueness.count > 4 }

  /// Finds out whether a row has the values that an upsert by the only clause sets: those columns' values, then the row id.
  func isUpserted(_ columns: [Int]) -> String {
    let names = columns.map { SQLIdentifier.quoted(plan.columns[$0].name) }
    let values = names.map { _ in "?" }
    return "SELECT 1 FROM \(table) WHERE (\(names.joined(separator: ", ")))"
      + " IS (\(values.joined(separator: ", "))) AND \"_id\" = ?"
  }

  /// As ``select`` with NULL in place of the columns of all other properties, so that the rest keeps its place.
  func select(properties: [Int]) -> String {
    let wanted = Set(properties.flatMap { Array(plan.properties[$0].columns) })
    let columns = plan.columns.indices.map { index in
      wanted.contains(index) ? SQLIdentifier.quoted(plan.columns[index].name) : "NULL"
    }
    return "SELECT " + (["\"_id\""] + columns).joined(separator: ", ") + " FROM \(table) AS t0"
  }

  /// The owner, the row id and the columns of the rows that a relationship of some owners leads to. The owners stand
  /// in a JSON array; the table of this entity is the destination's.
  func selectLinked(_ relationship: RelationshipPlan) throws -> String {
    let owners = "IN (SELECT value FROM json_each(?))"
    let columns = rowColumns
    if let join = relationship.joinTable {
      let owner = "j." + SQLIdentifier.quoted(join.ownerColumn)
      return "SELECT \(owner), t0.\"_id\"\(columns) FROM \(SQLIdentifier.quoted(join.name)) AS j"
        + " JOIN \(table) AS t0 ON t0.\"_id\" = j.\(SQLIdentifier.quoted(join.destinationColumn))"
        + " WHERE \(owner) \(owners) ORDER BY \(owner)\(order(join.ownerOrderColumn, of: "j")), t0.\"_id\""
    }
    guard let inverse = relationship.inverse,
      let column = plan.properties[inverse].columns.first
    else {
      throw SwiftDataError.unknownSchema.explained(
        "The relationship to \(plan.name) has neither a column nor a table.")
    }
    let key = "t0." + SQLIdentifier.quoted(plan.columns[column].name)
    return "SELECT \(key), t0.\"_id\"\(columns) FROM \(table) AS t0 WHERE \(key) \(owners)"
      + " ORDER BY \(key)\(order(plan.orderColumn(of: inverse), of: "t0")), t0.\"_id\""
  }

  /// The term of an ordered list. Rows that other programs made without a position come last.
  private func order(_ column: String?, of table: String) -> String {
    column.map { ", \(table).\(SQLIdentifier.quoted($0)) NULLS LAST" } ?? ""
  }

  /// The row ids of the owners whose relationship leads to some rows, which stand in a JSON array.
  func selectOwners(_ property: Int) throws -> String {
    let destinations = "IN (SELECT value FROM json_each(?))"
    if let join = plan.properties[property].relationship?.joinTable {
      return "SELECT DISTINCT \(SQLIdentifier.quoted(join.ownerColumn))"
        + " FROM \(SQLIdentifier.quoted(join.name))"
        + " WHERE \(SQLIdentifier.quoted(join.destinationColumn)) \(destinations)"
    }
    guard let column = plan.properties[property].columns.first else {
      throw SwiftDataError.unknownSchema.explained(
        "\(plan.name).\(plan.properties[property].name) has neither a column nor a table.")
    }
    return "SELECT \"_id\" FROM \(table)"
      + " WHERE \(SQLIdentifier.quoted(plan.columns[column].name)) \(destinations)"
  }

  /// Finds the row that has the unique values of `constraint`.
  func lookUp(_ constraint: [Int]) -> String {
    let condition = constraint.map { "\(SQLIdentifier.quoted(plan.columns[$0].name)) = ?" }
    let entity = plan.family == nil ? "" : ", \(SQLIdentifier.quoted(EntityFamily.discriminator))"
    return "SELECT \"_id\"\(entity) FROM \(table) WHERE \(condition.joined(separator: " AND "))"
  }

  /// The columns of constraints whose values can move out of the way; a reference has to lead somewhere.
  var parkableColumns: [(position: Int, name: String)] {
    Set(plan.uniqueness.joined()).sorted().filter { plan.columns[$0].kind != .reference }
      .map { ($0, SQLIdentifier.quoted(plan.columns[$0].name)) }
  }

  /// Gives some columns values that no other row has and that no model writes; a condition is to follow.
  func parking(_ columns: [String]) -> String {
    let assignments = columns.map { "\($0) = CAST('_parked_' || \"_id\" AS BLOB)" }
    return "UPDATE \(table) SET \(assignments.joined(separator: ", "))"
  }

  /// Writes some columns of a row.
  func update(columns: [Int]) -> String {
    let assignments = columns.map { "\(SQLIdentifier.quoted(plan.columns[$0].name)) = ?" }
    return "UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE \"_id\" = ?"
  }

  /// Writes some columns of several rows, with what ``HeldValues`` has for them. `FAIL` saves SQLite the journal for
  /// undoing a statement that fails midway (https://sqlite.org/lang_conflict.html): who runs it gives up the transaction.
  ///
  /// - Parameter count: How many row ids are the parameters; nil for the first and the last of a range.
  func update(columns: [Int], ofRows count: Int?) -> String {
    let assignments = columns.enumerated().map { position, column in
      "\(SQLIdentifier.quoted(plan.columns[column].name))"
        + " = \(HeldValues.function)(\"_id\", \(position))"
    }
    let rows =
      count.map { "IN (?\(String(repeating: ", ?", count: $0 - 1)))" } ?? "BETWEEN ? AND ?"
    return "UPDATE OR FAIL \(table) SET \(assignments.joined(separator: ", "))"
      + " WHERE \"_id\" \(rows)"
  }
}
