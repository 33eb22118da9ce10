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
///
/// A structure, because binding a task-local value whose type is a closure crashes in optimised code of Swift 6.3.
package struct MigrationProbe: Sendable {
  @TaskLocal private static var current = MigrationProbe(began: nil, reached: nil)

  /// Called with SQLite's handle when a migration's transaction has begun.
  private let began: (@Sendable (OpaquePointer) -> Void)?
  /// Called with a name at certain points between statements.
  private let reached: (@Sendable (String) -> Void)?

  /// Runs the operation with these hooks.
  package static func install<Result>(
    began: (@Sendable (OpaquePointer) -> Void)? = nil,
    reached: (@Sendable (String) -> Void)? = nil, _ operation: () throws -> Result
  ) rethrows -> Result {
    try $current.withValue(MigrationProbe(began: began, reached: reached)) { try operation() }
  }

  static func begin(_ database: OpaquePointer) { current.began?(database) }

  static func reach(_ moment: String) { current.reached?(moment) }
}
