import Foundation

/// The size of files, where a file that can't be examined isn't taken for a missing one.
package enum FileSize {
  /// Returns the number of bytes of a file; of a symbolic link, that of the link itself (lstat(2)).
  ///
  /// - Returns: nil when there is no file with this path.
  /// - Throws: `POSIXError` for every other reason.
  package static func byteCount(_ path: String) throws -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      let reason = errno
      if reason == ENOENT || reason == ENOTDIR { return nil }
      throw POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO)
    }
    return Int(status.st_size)
  }
}
