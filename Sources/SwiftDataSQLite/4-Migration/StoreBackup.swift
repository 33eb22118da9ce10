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
    guard StoreError.isFull(number) else {
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
    try Connection(.file(store), role: .writer, isReadOnly: true).copy(to: file.path)
  }

  private func sync(_ path: String, _ phase: Phase) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(errno, "\(path) can't be opened", phase) }
    defer { close(descriptor) }
    guard FileSync.sync(descriptor) else { throw failure(errno, "\(path) can't be synced", phase) }
  }

  /// Links the files of large values: they never change, so the copy can share them.
  private func linkFiles() throws {
    do {
      try ExternalFiles.copyFiles(of: store, to: pending) { try FileCopy.link($0, to: $1) }
    } catch {
      let what = "the large values can't be copied to \(Self.supportFolder(of: pending).path)"
      if let number = (error as? POSIXError)?.code.rawValue { throw failure(number, what, .before) }
      throw failure("\(what): \(error.localizedDescription)", .before, error)
    }
  }

  private func removeFile(_ file: URL, _ phase: Phase) throws {
    for path in ["", "-journal", "-wal", "-shm"].map({ file.path + $0 }) {
      guard unlink(path) == 0 || errno == ENOENT else {
        throw failure(errno, "\(path) can't be removed", phase)
      }
    }
  }
}
