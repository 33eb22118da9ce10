import Foundation
import Testing

/// Real captures and test suites in the folder beside the project, if it exists.
enum SharedData {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "shared/data")

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  static func url(_ path: String) -> URL { root.appending(path: path) }

  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: url(path)))
  }

  static func names(in folder: String, suffix: String) throws -> [String] {
    guard exists(folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: url(folder).path)
      .filter { $0.hasSuffix(suffix) }.sorted()
  }
}
