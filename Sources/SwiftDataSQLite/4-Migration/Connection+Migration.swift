import CSQLite
import SwiftDataCore

extension Connection {
  /// Turns the enforcement of foreign keys on or off within a transaction. Before enforcement is turned off, no
  /// deferred violation may be pending: SQLite would forget it.
  func enforceForeignKeys(_ isOn: Bool) throws {
    if !isOn { try checkForeignKeys() }
    guard osd_enforce_foreign_keys(handle, isOn ? 1 : 0) == SQLITE_OK,
      try integer("PRAGMA foreign_keys") == (isOn ? 1 : 0)
    else {
      throw StoreError(
        .other, path: path, explanation: "SQLite doesn't turn foreign keys \(isOn ? "on" : "off")")
    }
  }

  /// The dangling references, each as a text; at most 1,000.
  func danglingReferences() throws -> Set<String> {
    let statement = try statement(
      "SELECT \"table\", ifnull(rowid, ''), parent FROM pragma_foreign_key_check LIMIT 1000")
    defer { statement.reset() }
    var found: Set<String> = []
    while try statement.step() {
      found.insert(
        "row \(statement.string(at: 1)) of \(statement.string(at: 0)) to"
          + " \(statement.string(at: 2))")
    }
    return found
  }
}

/// Hooks that tests install in the migrations of their own task.
package enum MigrationProbe {
  /// Called with SQLite's handle when a migration's transaction has begun.
  @TaskLocal package static var began: (@Sendable (OpaquePointer) -> Void)?
  /// Called with a name at certain points between statements.
  @TaskLocal package static var reached: (@Sendable (String) -> Void)?

  static func reach(_ moment: String) { reached?(moment) }
}
