import CSQLite
import SwiftDataCore

extension Connection {
  /// Throws if the transaction contains dangling links, and names one of them.
  func checkForeignKeys() throws {
    var pending: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &pending, &highest, 0)
    guard pending != 0 else { return }
    let statement = try statement("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check")
    defer { statement.reset() }
    guard try statement.step() else { return }
    let child = statement.string(at: 0)
    let parent = statement.string(at: 2)
    throw StoreError(
      .danglingReference, path: path,
      explanation: "a \(parent) can't be deleted while row \(statement.rowID(at: 1)) of \(child)"
        + " refers to it (delete rule deny, or a relationship that isn't optional)."
        + " Delete that one too, or give it another \(parent).")
  }
}
