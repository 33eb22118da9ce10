import CSQLite
import Foundation
import SwiftDataCore

/// The copy of a store's file that a migration makes first.
struct StoreBackup {
  let store: URL
  let url: URL
  /// The path of the copy until the migration has succeeded: a failed migration must not replace the copy of an earlier
  /// one.
  private let pending: URL

  init(_ configuration: ModelConfiguration) {
    // Large values are beside the file itself, not beside a link to it.
    store = configuration.resolvedURL
    url = configuration.migrationBackupURL
    pending = url.appendingPathExtension("new")
  }

  private static func supportFolder(of file: URL) -> URL {
    StoreLocation.supportFolder(of: file)
  }

  /// Copies the committed state of the file, durably. The caller keeps writers out.
  func make() throws {
    do {
      try discard()
      try copy(to: pending)
      try sync(pending.path)
      try linkFiles()
      try sync(pending.deletingLastPathComponent().path)
    } catch {
      try discard()
      throw error
    }
  }

  /// Moves the copy to its final path, where it replaces an earlier copy.
  func keep() throws {
    guard FileManager.default.fileExists(atPath: pending.path) else { return }
    let folder = Self.supportFolder(of: pending)
    // If renaming the copy fails, the next opening calls this again, when the folder has already been moved.
    if FileManager.default.fileExists(atPath: folder.path) {
      try removeFolder(Self.supportFolder(of: url))
      guard rename(folder.path, Self.supportFolder(of: url).path) == 0 else {
        throw failure("renamed", errno)
      }
    }
    guard rename(pending.path, url.path) == 0 else { throw failure("renamed", errno) }
    try sync(url.deletingLastPathComponent().path)
  }

  /// Removes the copy of a finished migration; a missing copy counts as removed.
  func discard() throws {
    try removeFile(pending)
    try removeFolder(Self.supportFolder(of: pending))
  }

  private func removeFolder(_ folder: URL) throws {
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    try FileManager.default.removeItem(at: folder)
  }

  private func failure(_ what: String, _ number: Int32) -> any Error {
    let text = String(cString: strerror(number))
    if number == ENOSPC || number == EDQUOT {
      return StoreError(
        .diskFull, path: store.path,
        explanation:
          "there is no room for the copy \(url.path) that a migration makes first; free some,"
          + " or set migrationBackup to none. Nothing was changed")
    }
    return MigrationError(
      .backupFailed, path: store.path,
      explanation: "the copy \(url.path) can't be \(what): \(text). Nothing was changed.")
  }

  private func copy(to file: URL) throws {
    let source = try Connection(.file(store), role: .writer, isReadOnly: true)
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let result = sqlite3_open_v2(file.path, &opened, flags, nil)
    defer { sqlite3_close_v2(opened) }
    guard result == SQLITE_OK, let opened else {
      throw StoreError.sqlite(result, opened, path: file.path)
    }
    guard let backup = sqlite3_backup_init(opened, "main", source.handle, "main") else {
      throw StoreError.sqlite(sqlite3_errcode(opened), opened, path: file.path)
    }
    let copied = sqlite3_backup_step(backup, -1)
    let finished = sqlite3_backup_finish(backup)
    guard copied == SQLITE_DONE, finished == SQLITE_OK else {
      throw StoreError.sqlite(
        copied == SQLITE_DONE ? finished : copied, opened, path: file.path)
    }
  }

  private func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("synced", errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("synced", errno) }
  }

  /// Links the files of large values: they never change, so the copy can share them.
  private func linkFiles() throws {
    let folder = Self.supportFolder(of: store).appending(path: "external")
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    let target = Self.supportFolder(of: pending).appending(path: "external")
    do {
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
      where ExternalFiles.isName(name) {
        let (from, to) = (folder.appending(path: name), target.appending(path: name))
        if link(from.path, to.path) != 0 { try FileManager.default.copyItem(at: from, to: to) }
      }
    } catch {
      throw MigrationError(
        .backupFailed, path: store.path,
        explanation: "the large values can't be copied to \(target.path):"
          + " \(error.localizedDescription). Nothing was changed.", underlyingError: error)
    }
    try sync(target.path)
    try sync(Self.supportFolder(of: pending).path)
  }

  private func removeFile(_ file: URL) throws {
    for ending in ["", "-journal", "-wal", "-shm"] {
      guard unlink(file.path + ending) == 0 || errno == ENOENT else {
        throw failure("removed", errno)
      }
    }
  }
}
