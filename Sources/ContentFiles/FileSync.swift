import Foundation

/// The place that asks the system to write files to the disk.
package enum FileSync {
  /// Writes the bytes of a file, or the names in a folder, to the disk.
  ///
  /// On Apple's systems fsync(2) may leave them in the drive's cache, and `F_FULLFSYNC` of fcntl(2) doesn't; where a
  /// file system lacks that, fsync(2) has to do.
  ///
  /// - Returns: False on failure; `errno` has the reason.
  package static func sync(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(descriptor) == 0
  }
}
