import SwiftDataCore
import SwiftDataSQL

/// The SQL that a store needs to read an entity, and the kinds of the columns that it gives.
final class EntityQueries: Sendable {
  let plan: EntityPlan
  /// The quoted name of the table.
  let table: String
  /// Distinguishes rows of subclasses; nil for a class with its own table.
  let family: FamilyRows?
  /// The condition for this entity's rows in the table; nil when all rows belong to it.
  let condition: String?
  /// The row ID and all columns, of the table under the alias `t0`.
  let columns: String
  /// The kinds of these columns.
  let kinds: [ColumnKind?]
  /// Selects the rows, without a condition.
  let select: String
  /// Inserts one row with all columns, as the server takes it.
  private let insertionOfOne: String
  /// Inserts rows with all columns, as the server takes it.
  private let insertionOfMany: String
  private let cipher: StoreCipher

  init(_ plan: EntityPlan, _ cipher: StoreCipher) {
    self.plan = plan
    self.cipher = cipher
    table = SQLIdentifier.quoted(plan.table)
    let family = FamilyRows(plan)
    self.family = family
    condition = FamilyRows.condition(plan)
    let names = family?.columns ?? plan.columns.map { SQLIdentifier.quoted($0.name) }
    columns = "t0.\(SQLIdentifier.rowID)" + names.map { ", t0." + $0 }.joined()
    var kindsByName: [String: ColumnKind] = [:]
    for column in (plan.family?.descendants(of: plan) ?? [plan]).flatMap(\.columns) {
      kindsByName[SQLIdentifier.quoted(column.name)] = column.kind
    }
    kinds = [nil] + names.map { kindsByName[$0] }
    select = "SELECT \(columns) FROM \(table) AS t0"
    let batch = RowBatch(plan, columns: Array(plan.columns.indices))
    insertionOfOne = PostgresStatementText.finished(batch.insertionOfOne)
    insertionOfMany = PostgresStatementText.finished(batch.insertion)
  }

  /// Inserts rows with all columns. A single one needs no lists, which take the server longer.
  func insertion(of batch: RowBatch) -> PostgresCommand {
    batch.rowIDs.count == 1
      ? PostgresCommand(insertionOfOne, batch.valuesOfOne)
      : PostgresCommand(insertionOfMany, batch.values)
  }

  /// Selects one row.
  var selectByRowID: String { select + whereClause("t0.\(SQLIdentifier.rowID) = ?") }

  /// A WHERE clause with a condition and this entity's own.
  func whereClause(_ test: String) -> String {
    " WHERE " + test + (condition.map { " AND \($0)" } ?? "")
  }

  /// Selects the same columns with NULL in place of those of all other properties.
  func select(properties: [Int]) -> String {
    let wanted = Set(properties.flatMap { Array(plan.properties[$0].columns) })
    let columns = plan.columns.indices.map { index in
      wanted.contains(index) ? "t0." + SQLIdentifier.quoted(plan.columns[index].name) : "NULL"
    }
    return "SELECT " + (["t0.\(SQLIdentifier.rowID)"] + columns).joined(separator: ", ")
      + " FROM \(table) AS t0"
  }

  /// Selects the owner, the row ID and the columns of the destinations of a relationship of some owners. This entity is
  /// the destination.
  func selectLinked(_ relationship: RelationshipPlan) throws -> String {
    if let join = relationship.joinTable {
      let owner = "j." + SQLIdentifier.quoted(join.ownerColumn)
      return "SELECT \(owner), \(columns) FROM \(SQLIdentifier.quoted(join.name)) AS j"
        + " JOIN \(table) AS t0 ON"
        + " t0.\(SQLIdentifier.rowID) = j.\(SQLIdentifier.quoted(join.destinationColumn))"
        + whereClause("\(owner) = ANY (?)")
        + " ORDER BY \(owner)\(order(join.ownerOrderColumn, of: "j")), t0.\(SQLIdentifier.rowID)"
    }
    guard let inverse = relationship.inverse,
      let column = plan.properties[inverse].columns.first
    else {
      throw SwiftDataError.unknownSchema.explained(
        "The relationship to \(plan.name) has neither a column nor a table.")
    }
    let key = "t0." + SQLIdentifier.quoted(plan.columns[column].name)
    return "SELECT \(key), \(columns) FROM \(table) AS t0" + whereClause("\(key) = ANY (?)")
      + " ORDER BY \(key)\(order(plan.orderColumn(of: inverse), of: "t0")),"
      + " t0.\(SQLIdentifier.rowID)"
  }

  /// The term of ORDER BY of an ordered list. Rows of other programs without a position come last.
  private func order(_ column: String?, of table: String) -> String {
    column.map { ", \(table).\(SQLIdentifier.quoted($0)) NULLS LAST" } ?? ""
  }

  /// The row IDs of the owners whose relationship leads to some rows.
  func selectOwners(_ property: Int) throws -> String {
    if let join = plan.properties[property].relationship?.joinTable {
      return "SELECT DISTINCT \(SQLIdentifier.quoted(join.ownerColumn))"
        + " FROM \(SQLIdentifier.quoted(join.name))"
        + " WHERE \(SQLIdentifier.quoted(join.destinationColumn)) = ANY (?)"
    }
    guard let column = plan.properties[property].columns.first else {
      throw SwiftDataError.unknownSchema.explained(
        "\(plan.name).\(plan.properties[property].name) has neither a column nor a table.")
    }
    return "SELECT \(SQLIdentifier.rowID) FROM \(table)"
      + " WHERE \(SQLIdentifier.quoted(plan.columns[column].name)) = ANY (?)"
  }

  /// Calls `body` with a row in the form in which models read it.
  ///
  /// - Parameters:
  ///   - cells: The cells of a row of the query.
  ///   - first: The position of the row ID among them.
  /// - Throws: ``StoreError/Code/schemaMismatch`` for a row of a class that isn't part of the schema.
  func withRow<Result>(
    _ cells: UnsafeBufferPointer<_Cell>, from first: Int, address: String,
    _ body: (RowView) throws -> Result
  ) throws -> Result {
    let rowID = cells[first].bits
    guard let family else {
      return try withOpened(.init(rebasing: cells[(first + 1)...]), plan, address) {
        try body(RowView(plan: plan, rowID: rowID, cells: $0))
      }
    }
    let entity = ColumnValue(cells[first + 1]).text ?? ""
    guard let member = family[entity] else {
      throw StoreError(
        .schemaMismatch, path: address,
        explanation:
          "row \(rowID) of the table \(plan.table) is a \(entity), which isn't part of the"
          + " container's schema below \(plan.name). List the class in the schema")
    }
    return try member.positions.map { cells[first + 2 + $0] }.withUnsafeBufferPointer { own in
      try withOpened(own, member.plan, address) {
        try body(RowView(plan: member.plan, rowID: rowID, cells: $0))
      }
    }
  }

  private func withOpened<Result>(
    _ cells: UnsafeBufferPointer<_Cell>, _ plan: EntityPlan, _ address: String,
    _ body: (UnsafeBufferPointer<_Cell>) throws -> Result
  ) throws -> Result {
    guard let cipher = cipher[plan] else { return try body(cells) }
    return try cipher.open(cells, address: address, body)
  }
}
