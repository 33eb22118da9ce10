import SwiftDataCore

/// Prevents row IDs from being reused. SQLite numbers a new row from the highest existing ID, so the last row's ID
/// would be free again after that row is deleted; identifiers kept by the program, and links that a rule `noAction`
/// leaves behind, would then refer to an unrelated row.
///
/// AUTOINCREMENT prevents this at the cost of a quarter more instructions for every insertion. Here the deletion of the
/// last row records its ID, and the first insertion of a transaction reads the record.
package enum RowNumbers {
  /// The table of the recorded IDs.
  package static let table =
    "CREATE TABLE IF NOT EXISTS \"_rowNumbers\" (entity TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID"

  /// The trigger that records deletions of the last row, by name.
  package static func trigger(of plan: EntityPlan) -> (name: String, statement: String) {
    let name = "\(plan.table)__rowNumber"
    let table = SQLIdentifier.quoted(plan.table)
    let rowID = SQLIdentifier.rowID
    return (
      name,
      "CREATE TRIGGER \(SQLIdentifier.quoted(name)) AFTER DELETE ON \(table)"
        + " WHEN NOT EXISTS (SELECT 1 FROM \(table) WHERE \(rowID) > OLD.\(rowID)) BEGIN"
        + " INSERT INTO \"_rowNumbers\" VALUES (\(SQLIdentifier.literal(plan.table)), OLD.\(rowID))"
        + " ON CONFLICT (entity) DO UPDATE SET last = max(last, excluded.last); END"
    )
  }

  /// Returns the ID that the next row must have; no row when the ID that SQLite chooses was never used.
  package static func next(of plan: EntityPlan) -> String {
    let rowID = SQLIdentifier.rowID
    return "SELECT last + 1 FROM \"_rowNumbers\""
      + " WHERE entity = \(SQLIdentifier.literal(plan.table)) AND last >"
      + " (SELECT ifnull(max(\(rowID)), 0) FROM \(SQLIdentifier.quoted(plan.table)))"
  }
}
