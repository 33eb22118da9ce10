import CSQLite
import SwiftDataCore

extension Connection {
  /// Throws if the transaction contains dangling links, and names one of them.
  ///
  /// - Parameter deletes: Whether the transaction deletes rows. If it doesn't, it has written a link to a row that was
  ///   deleted before.
  func checkForeignKeys(deletes: Bool = true) throws {
    var pending: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &pending, &highest, 0)
    guard pending != 0 else { return }
    let statement = try statement(
      """
      SELECT f."table", f.rowid, f.parent, l."from" FROM pragma_foreign_key_check AS f
      LEFT JOIN pragma_foreign_key_list(f."table") AS l ON l.id = f.fkid
      """)
    defer { statement.reset() }
    guard try statement.step() else { return }
    let (child, row) = (statement.string(at: 0), statement.rowID(at: 1))
    let (parent, column) = (statement.string(at: 2), statement.string(at: 3))
    throw StoreError(
      .danglingReference, path: path,
      explanation: deletes
        ? "a \(parent) can't be deleted while row \(row) of \(child)"
          + " refers to it (delete rule deny, or a relationship that isn't optional)."
          + " Delete that one too, or give it another \(parent)."
        : "row \(row) of \(child) leads by \(column) to a \(parent) that another context or program has"
          + " deleted. Set that to nil or to another \(parent), or roll the changes back.")
  }
}
