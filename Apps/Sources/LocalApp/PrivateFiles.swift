import Foundation

/// Files that only their owner may read: stores contain their users' activity.
package enum PrivateFiles {
  /// Creates the folder of a file and the empty file, accessible to their owner only; an existing file or folder is not
  /// changed.
  ///
  /// SQLite gives the files beside a store the permissions of the store (its documentation of `sqlite3_open`), and an
  /// empty file is a store without tables.
  /// - Throws: `CocoaError` when the folder can't be made.
  package static func prepare(_ file: URL) throws {
    try makeFolder(file.deletingLastPathComponent())
    guard !FileManager.default.fileExists(atPath: file.path) else { return }
    let descriptor = open(file.path, O_CREAT | O_EXCL | O_WRONLY, 0o600)
    // If this fails, opening the store reports the error.
    if descriptor >= 0 { close(descriptor) }
  }

  /// Creates a folder and its missing parents, accessible to their owner only; existing ones are not changed.
  /// - Throws: `CocoaError` when it can't be made.
  package static func makeFolder(_ folder: URL) throws {
    let manager = FileManager.default
    var missing: [URL] = []
    var folder = folder.standardizedFileURL
    while !manager.fileExists(atPath: folder.path), folder.path != "/" {
      missing.append(folder)
      folder = folder.deletingLastPathComponent()
    }
    for folder in missing.reversed() {
      try manager.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }

  /// Reads a whole file.
  /// - Parameter limit: The maximum size of the file, in bytes.
  /// - Returns: The content, and the facts of the file that was read; nil when there is no file.
  /// - Throws: ``LocalAppError`` for a file that can't be read or is too large, and for what is no file.
  package static func read(
    _ file: URL, upTo limit: Int
  ) throws(LocalAppError) -> (content: Data, facts: stat)? {
    // Without waiting: the path may lead to a pipe that nobody writes.
    let descriptor = open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if [ENOENT, ENOTDIR].contains(errno) { return nil }
      throw LocalAppError(file.path, reason: "cannot be read: \(String(cString: strerror(errno)))")
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw LocalAppError(file.path, reason: "this is no file")
    }
    let content: Data
    do { content = try handle.read(upToCount: limit + 1) ?? Data() } catch {
      throw LocalAppError(file.path, reason: "cannot be read: \(FileFailure.reason(error))")
    }
    guard content.count <= limit else {
      throw LocalAppError(file.path, reason: "the file has more than \(limit) bytes")
    }
    return (content, facts)
  }

  /// Replaces a file, or creates it, accessible to its owner only. Readers see the old content or the new one, also
  /// after a loss of power.
  /// - Throws: `POSIXError`; the file then has its old content.
  package static func replace(_ file: URL, by content: Data) throws {
    let folder = file.deletingLastPathComponent()
    let new = folder.appendingPathComponent(".\(file.lastPathComponent).\(UUID().uuidString)")
    let descriptor = open(new.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw lastError }
    do {
      do {
        defer { close(descriptor) }
        try StandardOutput.write(Array(content), to: descriptor)
        guard fsync(descriptor) == 0 else { throw lastError }
      }
      guard rename(new.path, file.path) == 0 else { throw lastError }
    } catch {
      unlink(new.path)
      throw error
    }
    let place = open(folder.path, O_RDONLY | O_CLOEXEC)
    guard place >= 0 else { throw lastError }
    defer { close(place) }
    guard fsync(place) == 0 else { throw lastError }
  }

  private static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

  /// Returns whether users other than the owner may read or write a file.
  package static func isExposed(_ file: URL) throws -> Bool {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    return ((attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0) & 0o077 != 0
  }

  /// Makes the files that this program creates from now on, including those beside a store, accessible to its user
  /// only.
  package static func keepPrivate() { _ = umask(0o077) }
}
