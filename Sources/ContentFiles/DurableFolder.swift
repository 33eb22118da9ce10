import Foundation

/// Creates folders that survive a loss of power, as do the files in them: a name is on the disk after the folder that
/// contains it was synced (fsync(2)).
package enum DurableFolder {
  /// Creates a folder, and the missing folders above it, and syncs the parent of each of them.
  ///
  /// - Parameter levels: The number of levels to sync even where the folder exists: the process that created it may
  ///   have ended before syncing.
  package static func make(_ folder: URL, syncingAtLeast levels: Int = 0) throws {
    var unsynced: [URL] = []
    var level = folder.standardizedFileURL
    while level.path != "/",
      unsynced.count < levels || !FileManager.default.fileExists(atPath: level.path)
    {
      level.deleteLastPathComponent()
      unsynced.append(level)
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for folder in unsynced.reversed() { try sync(folder.path) }
  }

  /// Syncs the names in a folder.
  ///
  /// - Throws: `POSIXError`. For a folder that may be used but not read, or that its file system can't sync, durability
  ///   is left to the system.
  package static func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == EACCES { return }
      throw failure()
    }
    defer { close(descriptor) }
    guard FileSync.sync(descriptor) || errno == EINVAL else { throw failure() }
  }

  private static func failure() -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }
}
