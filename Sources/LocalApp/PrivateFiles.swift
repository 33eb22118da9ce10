import Foundation

/// Files that only their owner may read: stores have what their users do.
package enum PrivateFiles {
  /// Makes the folder of a file, and the file, empty, for nobody but its owner; what is there already stays as it is.
  ///
  /// SQLite gives the files beside a store the store's permissions (its documentation of `sqlite3_open`), and an empty
  /// file is a store without tables.
  /// - Throws: `CocoaError` when the folder can't be made.
  package static func prepare(_ file: URL) throws {
    let manager = FileManager.default
    var missing: [URL] = []
    var folder = file.deletingLastPathComponent().standardizedFileURL
    while !manager.fileExists(atPath: folder.path), folder.path != "/" {
      missing.append(folder)
      folder = folder.deletingLastPathComponent()
    }
    for folder in missing.reversed() {
      try manager.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    guard !manager.fileExists(atPath: file.path) else { return }
    let descriptor = open(file.path, O_CREAT | O_EXCL | O_WRONLY, 0o600)
    // Whoever opens the store next says what is wrong.
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether others than the owner may read or write a file.
  package static func isExposed(_ file: URL) throws -> Bool {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    return ((attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0) & 0o077 != 0
  }

  /// Lets nobody but the user of this program read what it makes from here on, the files beside a store included.
  package static func keepPrivate() { _ = umask(0o077) }
}
