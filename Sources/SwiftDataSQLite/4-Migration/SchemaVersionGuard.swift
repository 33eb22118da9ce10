import SwiftDataCore
import SwiftDataSQL

/// Detects that another program has migrated the file while this one had it open: rows written for the old tables would
/// be wrong in the new ones.
///
/// Checked when a transaction has begun, so that nothing changes between the check and the write. SQLite counts changes
/// of tables, so a check costs next to nothing.
final class SchemaVersionGuard: TransactionGuard {
  private let forms: EntityForms
  /// SQLite's counter of table changes at the last check; nil before the first one.
  private var cookie: Int64?

  /// - Parameters:
  ///   - forms: The forms of the entities in this program.
  ///   - cookie: The counter for tables that are known to fit; nil to check in the first transaction.
  init(_ forms: EntityForms, cookie: Int64?) {
    self.forms = forms
    self.cookie = cookie
  }

  /// - Throws: ``StoreError`` with the code `schemaMismatch`.
  func check(_ connection: Connection) throws {
    let current = try StoredSchema.cookie(of: connection)
    guard current != cookie else { return }
    guard let stored = try StoredSchema(connection), stored.fits(forms) else {
      throw StoreError(
        .schemaMismatch, path: connection.path,
        explanation:
          "another program has migrated it to other models since it was opened; make another"
          + " container, with a version of this program that has these models")
    }
    cookie = current
  }
}
