import ContentFiles
import Foundation
import SwiftDataCore

/// Copies of the files, for a copy of the store.
extension ExternalFiles {
  /// Gives the copy of a store its files of large values, durably. No file that a row of the copy names may be removed
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - other: The copy of its file.
  ///   - copy: Copies the file at the first path to the second one, durably.
  /// - Throws: The errors of `copy` and of the file system.
  static func copyFiles(
    of store: URL, to other: URL, by copy: (_ from: String, _ to: String) throws -> Bool
  ) throws {
    let (from, to) = (folder(besides: store), folder(besides: other))
    guard FileManager.default.fileExists(atPath: from.path) else { return }
    try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: from.path)
    where ContentName.isName(name) {
      // One that is missing by now belongs to a transaction that was rolled back.
      _ = try copy(from.appending(path: name).path, to.appending(path: name).path)
    }
    try DurableFolder.sync(to.path)
    try DurableFolder.sync(to.deletingLastPathComponent().path)
  }

  /// The names of the files that rows refer to and that the folder of a copy doesn't have.
  ///
  /// - Parameter connection: A connection to the store, in the state that was copied.
  static func missingFiles(
    inCopy other: URL, of connection: Connection
  ) throws -> [String] {
    let hasFiles = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = '\(ExternalStorage.list)'")
    guard hasFiles == 1 else { return [] }
    let folder = folder(besides: other)
    let present =
      FileManager.default.fileExists(atPath: folder.path)
      ? Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) : []
    return try referredNames(on: connection)
      .filter { ContentName.isName($0) && !present.contains($0) }.sorted()
  }
}
