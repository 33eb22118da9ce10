import Foundation

/// Folders that are there after a loss of power, as the files in them are: a name is on the disk when the folder that
/// has it was synced (fsync(2)).
package enum DurableFolder {
  /// Makes a folder, and those above it that aren't there, and syncs the folder above each of them.
  ///
  /// - Parameter levels: How many levels are synced though they were there: who made them may have ended in between.
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
  /// - Throws: `POSIXError`. A folder that may be used but not read, or that its file system can't sync, is left to
  ///   what the system does by itself.
  package static func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == EACCES { return }
      throw failure()
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure() }
  }

  private static func failure() -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }
}
