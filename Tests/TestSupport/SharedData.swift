import Foundation

/// Captures of real feeds and test suites of others in `../shared/data`, which isn't part of the package. A test that
/// needs them is skipped where they are missing.
package enum SharedData {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "shared/data")

  /// Returns the place of a file or folder, whether or not it exists.
  package static func url(_ path: String) -> URL { root.appending(path: path) }

  package static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: url(path).path)
  }

  /// Returns the reason for which a test is skipped when a file or folder is missing.
  package static func absence(_ path: String) -> String { "../shared/data/\(path) is missing" }

  package static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: url(path)))
  }

  /// Returns the sorted names of a folder's files with a suffix; none if there is no such folder.
  package static func names(in folder: String, suffix: String) throws -> [String] {
    guard exists(folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: url(folder).path)
      .filter { $0.hasSuffix(suffix) }.sorted()
  }
}
