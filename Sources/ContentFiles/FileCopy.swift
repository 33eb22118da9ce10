import Foundation

/// Copies of files that survive a loss of power.
package enum FileCopy {
  /// The number of bytes that are read at a time.
  private static let portion = 1 << 20

  /// Copies a regular file to a new one with its permissions, as far as the process's mask allows, and syncs it.
  ///
  /// - Parameter meanwhile: Called before each portion.
  /// - Returns: False when there is no file to copy, or a pipe or folder in its place.
  /// - Throws: `POSIXError`, and the errors of `meanwhile`; then the new file is removed.
  package static func copy(
    _ source: String, to target: String, meanwhile: () throws -> Void = {}
  ) throws -> Bool {
    // Without waiting: nobody may write a pipe.
    let from = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard from >= 0 else {
      if errno == ENOENT { return false }
      throw failure()
    }
    defer { close(from) }
    var status = stat()
    guard fstat(from, &status) == 0 else { throw failure() }
    guard status.st_mode & S_IFMT == S_IFREG else { return false }
    let to = open(
      target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0o777)
    guard to >= 0 else { throw failure() }
    defer { close(to) }
    do {
      try copy(from, to: to, meanwhile)
      guard FileSync.sync(to) else { throw failure() }
    } catch {
      unlink(target)
      throw error
    }
    return true
  }

  private static func copy(_ from: Int32, to: Int32, _ meanwhile: () throws -> Void) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: portion, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      try meanwhile()
      let count = read(from, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure() }
      if count == 0 { return }
      var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      while !rest.isEmpty {
        let written = write(to, rest.baseAddress, rest.count)
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { throw failure() }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
      }
    }
  }

  /// Gives a file that never changes a second name, or copies it where its file system can't do that.
  ///
  /// - Returns: False when there is no file to copy.
  /// - Throws: `POSIXError`.
  package static func link(_ source: String, to target: String) throws -> Bool {
    if Foundation.link(source, target) == 0 { return true }
    return try copy(source, to: target)
  }

  private static func failure() -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }
}
