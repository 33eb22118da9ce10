import CSQLite
import ContentFiles
import Foundation
import SwiftDataCore
import SwiftDataSQL

/// Removes the files that no row refers to.
///
/// Both ways hold the write lock from reading the rows until the removal, and a file is written and referred to under
/// the same lock, so a file that is about to be used isn't removed. A crash in between leaves files, never references
/// without files: the recorded names and the sweep find these files again.
extension ExternalFiles {
  /// Removes the files whose references rows have given up. While a reader or another writer is active, the removal is
  /// left to a later call.
  func removeGarbage(on connection: Connection) throws {
    let count = try connection.integer("SELECT count(*) FROM \"\(ExternalStorage.garbage)\"") ?? 0
    guard count > 0 else { return }
    connection.waitsForWriters = false
    defer { connection.waitsForWriters = true }
    do {
      try connection.transaction {
        guard isUnread else { return }
        let recorded = try connection.texts("SELECT name FROM \"\(ExternalStorage.garbage)\"")
        try makeDurable(on: connection)
        for name in recorded where try !isReferred(name, on: connection) {
          // Another program may have written arbitrary names.
          if ContentName.isName(name) { try remove(name) }
        }
        try connection.execute("DELETE FROM \"\(ExternalStorage.garbage)\"")
        try HistoryTables.countUnrecordedCommit(on: connection)
      }
    } catch let error as StoreError where error.code == .busy {
      return
    }
  }

  /// Removes every file that no row refers to, such as files left by a crash. Requires that no other process or
  /// container has the store open.
  ///
  /// - Returns: false when there is a reader, so that files were left to a later call.
  func removeUnreferenced(on connection: Connection) throws -> Bool {
    let present = try all()
    guard !present.isEmpty else { return true }
    return try connection.transaction {
      // Read-only containers don't hold the lock that `withExclusiveAccess` checks.
      guard isUnread else { return false }
      let referred = try Self.referredNames(on: connection)
      try makeDurable(on: connection)
      for name in present where !referred.contains(name) { try remove(name) }
      try connection.execute("DELETE FROM \"\(ExternalStorage.garbage)\"")
      return true
    }
  }

  /// Makes the commits that gave up references durable before the files are removed: after a loss of power, a lost
  /// commit would refer to them again.
  ///
  /// With `synchronous = FULL`, which every connection of this framework sets, each commit is durable when it returns.
  /// With a lower setting, commits in the log that aren't yet in the file are durable once the log has been synced
  /// (SQLite, "Write-Ahead Logging").
  private func makeDurable(on connection: Connection) throws {
    let full: Int64 = 2
    guard try connection.integer("PRAGMA synchronous") ?? full < full else { return }
    let log = storePath + "-wal"
    let descriptor = open(log, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return }
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor >= 0, FileSync.sync(descriptor) else {
      throw StoreError(
        .inputOutput, path: storePath,
        explanation: "\(log) can't be synced: \(String(cString: strerror(errno)))")
    }
  }

  /// All names of files in rows, whatever they are: another program may have written them.
  static func referredNames(on connection: Connection) throws -> Set<String> {
    var names: Set<String> = []
    for column in try columns(on: connection) {
      names.formUnion(
        try connection.texts(
          "SELECT CAST(\(column.name) AS TEXT) FROM \(column.table) WHERE \(column.isReference)"))
    }
    return names
  }

  private struct ReferringColumn {
    let table: String
    let name: String
    let referenceClass: String
    var isReference: String { "typeof(\(name)) = '\(referenceClass)'" }
  }

  /// The columns of the whole database, including those of entities that the schema doesn't name.
  private static func columns(on connection: Connection) throws -> [ReferringColumn] {
    let list =
      "FROM \"\(ExternalStorage.list)\" AS l JOIN sqlite_schema AS s"
      + " ON s.type = 'table' AND s.name = l.entity ORDER BY l.entity, l.name"
    // Without NULL, so that the three lists have the same length.
    let entities = try connection.texts("SELECT l.entity \(list)")
    let names = try connection.texts("SELECT ifnull(l.name, '') \(list)")
    let classes = try connection.texts("SELECT ifnull(l.class, '') \(list)")
    return zip(entities, zip(names, classes)).map { entity, column in
      ReferringColumn(
        table: SQLIdentifier.quoted(entity), name: SQLIdentifier.quoted(column.0),
        referenceClass: column.1 == "text" ? "text" : "blob")
    }
  }

  private func isReferred(_ name: String, on connection: Connection) throws -> Bool {
    for column in try Self.columns(on: connection) {
      let found = try connection.integer(
        "SELECT EXISTS (SELECT 1 FROM \(column.table) WHERE \(column.isReference)"
          + " AND \(column.name) = CAST(? AS \(column.referenceClass)))", [.text(name)])
      if found == 1 { return true }
    }
    return false
  }
}
