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

  /// Returns whether users other than the owner may read or write a file.
  package static func isExposed(_ file: URL) throws -> Bool {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    return ((attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0) & 0o077 != 0
  }

  /// Makes the files that this program creates from now on, including those beside a store, accessible to its user
  /// only.
  package static func keepPrivate() { _ = umask(0o077) }
}
