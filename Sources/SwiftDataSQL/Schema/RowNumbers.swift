import SwiftDataCore

/// Row ids are never given twice. SQLite numbers a new row by the highest one there is, so the last row's id would
/// be free again when that row is deleted; identifiers that somebody kept, and links that a rule `noAction` leaves
/// behind, would then lead to a stranger.
///
/// AUTOINCREMENT does this at the cost of a quarter more instructions for every insertion. Here a deletion of the
/// last row notes its id, and the first insertion of a transaction looks at the note.
package enum RowNumbers {
  /// The table of the notes.
  package static let table =
    "CREATE TABLE IF NOT EXISTS \"_rowNumbers\" (entity TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID"

  /// The trigger that notes deletions of the last row, by name.
  package static func trigger(of plan: EntityPlan) -> (name: String, statement: String) {
    let name = "\(plan.table)__rowNumber"
    let table = SQLIdentifier.quoted(plan.table)
    let rowID = SQLIdentifier.quoted(SQLIdentifier.rowID)
    return (
      name,
      "CREATE TRIGGER \(SQLIdentifier.quoted(name)) AFTER DELETE ON \(table)"
        + " WHEN NOT EXISTS (SELECT 1 FROM \(table) WHERE \(rowID) > OLD.\(rowID)) BEGIN"
        + " INSERT INTO \"_rowNumbers\" VALUES (\(SQLIdentifier.literal(plan.table)), OLD.\(rowID))"
        + " ON CONFLICT (entity) DO UPDATE SET last = max(last, excluded.last); END"
    )
  }

  /// Gives the id that the next row must have; no row when SQLite's own choice is new.
  package static func next(of plan: EntityPlan) -> String {
    let rowID = SQLIdentifier.quoted(SQLIdentifier.rowID)
    return "SELECT last + 1 FROM \"_rowNumbers\""
      + " WHERE entity = \(SQLIdentifier.literal(plan.table)) AND last >"
      + " (SELECT ifnull(max(\(rowID)), 0) FROM \(SQLIdentifier.quoted(plan.table)))"
  }
}
