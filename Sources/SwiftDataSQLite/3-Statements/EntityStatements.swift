import SwiftDataCore
import SwiftDataSQL

/// The SQL texts that every store needs for an entity, built once. A class, because a reference is passed with every
/// row that is read.
final class EntityStatements: Sendable {
  let plan: EntityPlan
  let table: String
  /// Selects the row ID and all columns, without a condition.
  let select: String
  let selectByRowID: StatementText
  let selectRange: RowRangeReader.Statements
  /// A plain insertion with a given row ID, for rows that must be restored.
  let insertWithRowID: String
  private let insert: String
  /// The placeholder for a row in `VALUES`.
  private let row: String
  /// An insertion that becomes an update of the row with the same unique value, or does nothing when that row is
  /// already equal (https://sqlite.org/lang_upsert.html).
  let upsert: String
  /// The same with the row ID as the first parameter, which is used for an insertion.
  let upsertWithRowID: String
  let delete: StatementText
  /// Deletes the rows whose IDs are in a JSON array.
  let deleteMany: String
  /// Checks whether a row still has certain values: one parameter per column, then the row ID.
  let isUnchanged: String
  /// Converts columns that are stored in another form; nil when there are none.
  let codec: ColumnCodec?
  /// Distinguishes rows of subclasses; nil for a class with its own table.
  let family: FamilyRows?
  /// The condition for this entity's rows in the table; nil when all rows belong to it.
  let condition: String?
  /// The columns that ``DefaultStore`` reads of each row.
  let rowColumns: String
  /// Whether an R*Tree or a text index may restrict a search.
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
    select = "SELECT t0.\(SQLIdentifier.rowID)\(rowColumns) FROM \(table) AS t0"
    selectByRowID = StatementText(
      select + " WHERE t0.\(SQLIdentifier.rowID) = ?" + (condition.map { " AND \($0)" } ?? ""))
    selectRange = RowRangeReader.Statements(select)
    // The entity's name is a part of the statement, because it is the same for all rows.
    let entity = plan.family.map { _ in
      ("\(SQLIdentifier.quoted(EntityFamily.discriminator))", SQLIdentifier.literal(plan.name))
    }
    let names = ([entity?.0].compactMap { $0 } + columns).joined(separator: ", ")
    let values = ([entity?.1].compactMap { $0 } + columns.map { _ in "?" }).joined(separator: ", ")
    insertWithRowID =
      "INSERT INTO \(table) (\(SQLIdentifier.rowID)\(names.isEmpty ? "" : ", ")\(names))"
      + " VALUES (?\(values.isEmpty ? "" : ", ")\(values))"
    delete = StatementText("DELETE FROM \(table) WHERE \(SQLIdentifier.rowID) = ?")
    deleteMany =
      "DELETE FROM \(table) WHERE \(SQLIdentifier.rowID) IN (SELECT value"
      + " FROM json_each(?))"
    isUnchanged =
      "SELECT 1 FROM \(table) WHERE " + columns.map { "\($0) IS ? AND " }.joined()
      + "\(SQLIdentifier.rowID) = ?"
    row = "(\(values))"
    insert =
      names.isEmpty
      ? "INSERT INTO \(table) DEFAULT VALUES"
      : "INSERT INTO \(table) (\(names)) VALUES \(row)"
    let conflicts = Self.conflictClauses(plan, table)
    upsert = insert + conflicts
    upsertWithRowID = insertWithRowID + conflicts
  }

  /// Whether the table has triggers besides the one that maintains the row numbers.
  func hasOtherTriggers(on connection: Connection) throws -> Bool {
    let count = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND name <> ?",
      [.text(plan.table), .text(RowNumbers.trigger(of: plan).name)])
    return count != 0
  }

  /// Whether the rows of a query have the form that models read.
  var isPlain: Bool { family == nil && codec == nil }

  /// Calls `body` with the cells of a row in the form that models read.
  func withPlainCells<Result>(
    _ cells: UnsafeBufferPointer<_Cell>,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Result
  ) throws -> Result {
    guard let codec else { return try body(cells) }
    return try codec.open(cells, body)
  }

  /// An insertion that does nothing when a row with the same unique value exists, and the same with the row ID as the
  /// first parameter.
  var insertsIfNew: (plain: String, withRowID: String) {
    (insert + " ON CONFLICT DO NOTHING", insertWithRowID + " ON CONFLICT DO NOTHING")
  }

  /// An insertion of several rows that leaves out rows that can't be inserted. Not for rows without columns.
  func insertion(of count: Int) -> String {
    "INSERT OR IGNORE" + insert.dropFirst("INSERT".count)
      + String(repeating: ", \(row)", count: count - 1)
  }

  /// Looks up rows by the unique values of `constraint`, several at a time: the position of the values, the row's ID
  /// and some of its columns. Rows of other classes aren't found.
  func lookUpRows(count: Int, by constraint: [Int], _ columns: [Int]) -> String {
    let keys = constraint.indices.map { "k\($0)" }
    let values = (0..<count).map { "(\($0)\(String(repeating: ", ?", count: keys.count)))" }
    let wanted = columns.map { ", t0." + SQLIdentifier.quoted(plan.columns[$0].name) }.joined()
    // Only rows of the same class, like the upsert: a row of a subclass isn't replaced either.
    let entity = plan.family.map { _ in
      "t0.\(SQLIdentifier.quoted(EntityFamily.discriminator)) = \(SQLIdentifier.literal(plan.name))"
    }
    let conditions =
      zip(constraint, keys).map { "t0.\(SQLIdentifier.quoted(plan.columns[$0].name)) = v.\($1)" }
      + [entity].compactMap { $0 }
    return "WITH v (position, \(keys.joined(separator: ", "))) AS (VALUES"
      + " \(values.joined(separator: ", "))) SELECT v.position, t0.\(SQLIdentifier.rowID)\(wanted)"
      // CROSS JOIN keeps the order (https://sqlite.org/optoverview.html).
      + " FROM v CROSS JOIN \(table) AS t0 WHERE \(conditions.joined(separator: " AND "))"
  }

  /// Reads at most `count` rows by their IDs, after or before the ID in the first parameter: the row's ID and some of
  /// its columns.
  func read(_ count: Int, _ columns: [Int], descending: Bool) -> String {
    let wanted = columns.map { ", " + SQLIdentifier.quoted(plan.columns[$0].name) }.joined()
    return "SELECT \(SQLIdentifier.rowID)\(wanted) FROM \(table) WHERE \(SQLIdentifier.rowID)"
      + " \(descending ? "<" : ">") ?"
      + " ORDER BY \(SQLIdentifier.rowID)\(descending ? " DESC" : "") LIMIT \(count)"
  }

  /// The columns that an upsert by `constraint` sets.
  static func upsertedColumns(
    _ plan: EntityPlan, _ constraint: [Int], _ keptProperties: [Int]
  ) -> [Int] {
    let kept = Set(keptProperties.flatMap { Array(plan.properties[$0].columns) })
    return plan.columns.indices.filter { !constraint.contains($0) && !kept.contains($0) }
  }

  /// Returns the same as ``upsert`` and ``upsertWithRowID``, but an existing row keeps the values of some properties.
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
      // A conflict with an index of another program must not change its row.
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
    // A row of another class keeps its values; the caller finds it and reports the conflict.
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

  /// Whether a single clause without a target serves all unique keys. SQLite's grammar nests each `ON CONFLICT` clause
  /// in the previous one, and from the eighth on the parser's stack of 100 entries overflows.
  static func hasOneConflictClause(_ plan: EntityPlan) -> Bool { plan.uniqueness.count > 4 }

  /// Checks whether a row has the values that an upsert with the single clause sets: those columns' values, then the
  /// row ID.
  func isUpserted(_ columns: [Int]) -> String {
    let names = columns.map { SQLIdentifier.quoted(plan.columns[$0].name) }
    let values = names.map { _ in "?" }
    return "SELECT 1 FROM \(table) WHERE (\(names.joined(separator: ", ")))"
      + " IS (\(values.joined(separator: ", "))) AND \(SQLIdentifier.rowID) = ?"
  }

  /// Returns ``select`` with NULL in place of the columns of all other properties, so that the selected columns keep
  /// their positions.
  func select(properties: [Int]) -> String {
    let wanted = Set(properties.flatMap { Array(plan.properties[$0].columns) })
    let columns = plan.columns.indices.map { index in
      wanted.contains(index) ? SQLIdentifier.quoted(plan.columns[index].name) : "NULL"
    }
    return "SELECT " + ([SQLIdentifier.rowID] + columns).joined(separator: ", ") + " FROM \(table)"
      + " AS t0"
  }

  /// Selects the owner, the row ID and the columns of the destinations of a relationship of some owners. The owners are
  /// in a JSON array; this entity is the destination.
  func selectLinked(_ relationship: RelationshipPlan) throws -> String {
    let owners = "IN (SELECT value FROM json_each(?))"
    let columns = rowColumns
    if let join = relationship.joinTable {
      let owner = "j." + SQLIdentifier.quoted(join.ownerColumn)
      return "SELECT \(owner), t0.\(SQLIdentifier.rowID)\(columns)"
        + " FROM \(SQLIdentifier.quoted(join.name)) AS j"
        + " JOIN \(table) AS t0 ON"
        + " t0.\(SQLIdentifier.rowID) = j.\(SQLIdentifier.quoted(join.destinationColumn))"
        + " WHERE \(owner) \(owners) ORDER BY \(owner)\(order(join.ownerOrderColumn, of: "j")),"
        + " t0.\(SQLIdentifier.rowID)"
    }
    guard let inverse = relationship.inverse,
      let column = plan.properties[inverse].columns.first
    else {
      throw SwiftDataError.unknownSchema.explained(
        "The relationship to \(plan.name) has neither a column nor a table.")
    }
    let key = "t0." + SQLIdentifier.quoted(plan.columns[column].name)
    return "SELECT \(key), t0.\(SQLIdentifier.rowID)\(columns) FROM \(table) AS t0 WHERE \(key)"
      + " \(owners)"
      + " ORDER BY \(key)\(order(plan.orderColumn(of: inverse), of: "t0")),"
      + " t0.\(SQLIdentifier.rowID)"
  }

  /// The ORDER BY term of an ordered list. Rows of other programs without a position come last.
  private func order(_ column: String?, of table: String) -> String {
    column.map { ", \(table).\(SQLIdentifier.quoted($0)) NULLS LAST" } ?? ""
  }

  /// The row IDs of the owners whose relationship leads to certain rows, which are in a JSON array.
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
    return "SELECT \(SQLIdentifier.rowID) FROM \(table)"
      + " WHERE \(SQLIdentifier.quoted(plan.columns[column].name)) \(destinations)"
  }

  /// Finds the row with the unique values of `constraint`.
  func lookUpRow(_ constraint: [Int]) -> String {
    let condition = constraint.map { "\(SQLIdentifier.quoted(plan.columns[$0].name)) = ?" }
    let entity = plan.family == nil ? "" : ", \(SQLIdentifier.quoted(EntityFamily.discriminator))"
    return "SELECT \(SQLIdentifier.rowID)\(entity) FROM \(table)"
      + " WHERE \(condition.joined(separator: " AND "))"
  }

  /// The positions of the columns of constraints.
  var uniqueColumns: [Int] { Set(plan.uniqueness.joined()).sorted() }

  /// Sets some columns to values that no other row has and that no model writes; the caller appends a condition. A
  /// reference becomes NULL, because it must lead to a row, and NULL is unlike any other value for SQLite.
  func placeholderAssignments(_ columns: [Int]) -> String {
    let assignments = columns.map { position in
      let column = plan.columns[position]
      let value =
        column.kind == .reference ? "NULL" : "CAST('_parked_' || \(SQLIdentifier.rowID) AS BLOB)"
      return "\(SQLIdentifier.quoted(column.name)) = \(value)"
    }
    return "UPDATE \(table) SET \(assignments.joined(separator: ", "))"
  }

  /// Updates some columns of a row.
  func update(columns: [Int]) -> String {
    let assignments = columns.map { "\(SQLIdentifier.quoted(plan.columns[$0].name)) = ?" }
    return "UPDATE \(table) SET \(assignments.joined(separator: ", "))"
      + " WHERE \(SQLIdentifier.rowID) = ?"
  }

  /// Updates some columns of several rows with the values in ``RowValueBuffer``. `FAIL` saves SQLite the journal for
  /// undoing a statement that fails midway (https://sqlite.org/lang_conflict.html): on failure, the caller abandons the
  /// transaction.
  ///
  /// - Parameter count: The number of row IDs in the parameters; nil for the first and the last of a range.
  func update(columns: [Int], ofRows count: Int?) -> String {
    let assignments = columns.enumerated().map { position, column in
      "\(SQLIdentifier.quoted(plan.columns[column].name))"
        + " = \(RowValueBuffer.function)(\(SQLIdentifier.rowID), \(position))"
    }
    let rows =
      count.map { "IN (?\(String(repeating: ", ?", count: $0 - 1)))" } ?? "BETWEEN ? AND ?"
    return "UPDATE OR FAIL \(table) SET \(assignments.joined(separator: ", "))"
      + " WHERE \(SQLIdentifier.rowID) \(rows)"
  }
}
