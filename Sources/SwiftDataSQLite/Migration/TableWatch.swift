import SwiftDataCore

/// Notices that another program has migrated the file while this one had it open: rows written for the old tables
/// would be wrong in the new ones.
///
/// Looked at when a transaction has begun, so that nothing changes between the look and the writing. SQLite counts
/// changes of tables, so that a look costs next to nothing.
final class TableWatch {
  private let hashes: [String: String]
  /// SQLite's number of the tables when they were last looked at; nil when they weren't.
  private var cookie: Int64?

  /// - Parameters:
  ///   - hashes: Those of the entities as this program has them.
  ///   - cookie: The number of tables that are known to fit; nil to look at the first transaction.
  init(_ hashes: [String: String], cookie: Int64?) {
    self.hashes = hashes
    self.cookie = cookie
  }

  /// - Throws: ``StoreError`` with the code `schemaMismatch`.
  func check(_ connection: Connection) throws {
    let current = try StoredSchema.cookie(of: connection)
    guard current != cookie else { return }
    guard let stored = try StoredSchema(connection), stored.fits(hashes) else {
      throw StoreError(
        .schemaMismatch, path: connection.path,
        explanation:
          "another program has migrated it to other models since it was opened; make another"
          + " container, with a version of this program that has these models")
    }
    cookie = current
  }
}
