import CSQLite
import Foundation
import SwiftDataCore

/// Copies of a database by SQLite's backup interface (https://sqlite.org/backup.html), page by page.
extension Connection {
  /// The number of pages that are copied at a time: 4 MiB of the usual size.
  private static let portion: Int32 = 1_024

  /// Begins a read transaction that sees the database as it is now. ``rollback()`` ends it.
  func beginSnapshot() throws {
    try execute("BEGIN")
    // The transaction's state is that of its first read.
    do { try execute("SELECT 1 FROM sqlite_schema LIMIT 1") } catch {
      rollback()
      throw error
    }
  }

  /// Copies the database, as the connection sees it, to a new file.
  ///
  /// After ``beginSnapshot()`` the copy is that of one moment. Otherwise SQLite begins again when another connection
  /// commits between two portions.
  ///
  /// - Parameters:
  ///   - target: The file, which must not exist. It gets the permissions of the database's own file; only its owner
  ///     may read that of a database in memory.
  ///   - meanwhile: Called before each portion; an error that it throws ends the copy.
  /// - Throws: ``StoreError``, and the errors of `meanwhile`. The incomplete file is left to the caller.
  func copy(to target: String, meanwhile: () throws -> Void = {}) throws {
    try makeFile(target)
    var opened: OpaquePointer?
    let result = sqlite3_open_v2(
      target, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    defer { sqlite3_close_v2(opened) }
    guard result == SQLITE_OK, let opened else {
      throw StoreError.sqlite(result, opened, path: target)
    }
    try copy(into: opened, path: target, meanwhile: meanwhile)
  }

  /// Copies the database into another one, whose content it replaces.
  ///
  /// - Parameters:
  ///   - target: The handle of the other database.
  ///   - path: The other database, for errors.
  ///   - meanwhile: Called before each portion; an error that it throws ends the copy.
  func copy(
    into target: OpaquePointer, path: String, meanwhile: () throws -> Void = {}
  ) throws {
    guard let backup = sqlite3_backup_init(target, "main", handle, "main") else {
      throw StoreError.sqlite(sqlite3_errcode(target), target, path: path)
    }
    var copied = SQLITE_OK
    do {
      while copied == SQLITE_OK {
        try meanwhile()
        copied = sqlite3_backup_step(backup, Self.portion)
      }
    } catch {
      sqlite3_backup_finish(backup)
      throw error
    }
    let finished = sqlite3_backup_finish(backup)
    guard copied == SQLITE_DONE, finished == SQLITE_OK else {
      throw StoreError.sqlite(copied == SQLITE_DONE ? finished : copied, target, path: path)
    }
  }

  /// Makes an empty file before SQLite does, which would let everybody read it.
  private func makeFile(_ target: String) throws {
    var status = stat()
    let hasFile = !path.isEmpty && stat(path, &status) == 0
    let permissions = (hasFile ? status.st_mode & 0o666 : 0) | 0o600
    let descriptor = Foundation.open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
    guard descriptor >= 0 else {
      throw StoreError.file(errno, otherwise: .cannotOpen, path: target, "it can't be made")
    }
    close(descriptor)
  }
}
