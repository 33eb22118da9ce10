import CSQLite
import ContentFiles
import Foundation
import SwiftDataCore

/// The copy of a store's file that a migration makes first.
struct StoreBackup {
  let store: URL
  let url: URL
  /// The path of the copy until the migration has succeeded: a failed migration must not replace the copy of an earlier
  /// one.
  private let pending: URL

  /// The time of an operation on the copy, which decides the state in which an error leaves the store.
  enum Phase {
    /// The migration isn't committed, and ends by the error: the store is as it was.
    case before
    /// The migration is committed, and the next opening of the store tries again.
    case after
  }

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
      try discard(.before)
      try copy(to: pending)
      try sync(pending.path, .before)
      try linkFiles()
      try sync(pending.deletingLastPathComponent().path, .before)
    } catch {
      try discard(.before)
      throw error
    }
  }

  /// Moves the copy to its final path, where it replaces an earlier copy, when the migration is committed.
  func keep() throws {
    guard FileManager.default.fileExists(atPath: pending.path) else { return }
    let folder = Self.supportFolder(of: pending)
    // If renaming the copy fails, the next opening calls this again, when the folder has already been moved.
    if FileManager.default.fileExists(atPath: folder.path) {
      let place = Self.supportFolder(of: url)
      try removeFolder(place, .after)
      try move(folder.path, to: place.path)
    }
    try move(pending.path, to: url.path)
    try sync(url.deletingLastPathComponent().path, .after)
  }

  /// Removes the copy of a finished migration; a missing copy counts as removed.
  func discard(_ phase: Phase) throws {
    try removeFile(pending, phase)
    try removeFolder(Self.supportFolder(of: pending), phase)
  }

  private func move(_ path: String, to place: String) throws {
    guard rename(path, place) == 0 else {
      throw failure(errno, "\(path) can't be renamed to \(place)", .after)
    }
  }

  private func removeFolder(_ folder: URL, _ phase: Phase) throws {
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    do { try FileManager.default.removeItem(at: folder) } catch {
      throw failure(
        "\(folder.path) can't be removed: \(error.localizedDescription)", phase, error)
    }
  }

  private func failure(_ number: Int32, _ what: String, _ phase: Phase) -> any Error {
    guard number == ENOSPC || number == EDQUOT else {
      return failure("\(what): \(String(cString: strerror(number)))", phase, nil)
    }
    let explanation =
      switch phase {
      case .before:
        "there is no room for the copy \(url.path) that a migration makes first; free some,"
          + " or set migrationBackup to none. Nothing was changed"
      case .after:
        "it was migrated, but there is no room to put the copy that was made first in order:"
          + " \(what); free some, and open the store again, which tries again"
      }
    return StoreError(.diskFull, path: store.path, explanation: explanation)
  }

  /// The error that names the file, the state of the store and the remedy.
  private func failure(
    _ what: String, _ phase: Phase, _ underlyingError: (any Error)?
  ) -> MigrationError {
    let explanation =
      switch phase {
      case .before:
        "the copy that is made first isn't in order: \(what). Nothing was changed. Correct that, or set"
          + " migrationBackup to none."
      case .after:
        "the copy that was made first isn't in order: \(what). Correct that, and open the store again,"
          + " which tries again."
      }
    return MigrationError(
      .backupFailed, path: store.path, explanation: explanation, underlyingError: underlyingError,
      isMigrated: phase == .after)
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

  private func sync(_ path: String, _ phase: Phase) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(errno, "\(path) can't be opened", phase) }
    defer { close(descriptor) }
    guard FileSync.sync(descriptor) else { throw failure(errno, "\(path) can't be synced", phase) }
  }

  /// Links the files of large values: they never change, so the copy can share them.
  private func linkFiles() throws {
    let folder = Self.supportFolder(of: store).appending(path: "external")
    guard FileManager.default.fileExists(atPath: folder.path) else { return }
    let target = Self.supportFolder(of: pending).appending(path: "external")
    do {
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
      where ContentName.isName(name) {
        let (from, to) = (folder.appending(path: name), target.appending(path: name))
        if link(from.path, to.path) != 0 { try FileManager.default.copyItem(at: from, to: to) }
      }
    } catch {
      throw failure(
        "the large values can't be copied to \(target.path): \(error.localizedDescription)",
        .before, error)
    }
    try sync(target.path, .before)
    try sync(Self.supportFolder(of: pending).path, .before)
  }

  private func removeFile(_ file: URL, _ phase: Phase) throws {
    for path in ["", "-journal", "-wal", "-shm"].map({ file.path + $0 }) {
      guard unlink(path) == 0 || errno == ENOENT else {
        throw failure(errno, "\(path) can't be removed", phase)
      }
    }
  }
}
