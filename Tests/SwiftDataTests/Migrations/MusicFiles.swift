import Foundation
import MigrationSamples
import ProcessTesting
import SwiftDataExtras

/// Stores of the sample versions as files.
enum MusicFiles {
  /// Returns the models' contents in a file: every row of every table except the history and the
  /// metadata.
  static func contents(_ file: URL) throws -> [String] {
    let file = try SQLiteFile(file)
    func rows(_ sql: String) throws -> [String] { try file.values(sql).map { $0 ?? "NULL" } }
    let tables = try rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'"
        + " AND name NOT LIKE '%\\_search%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' ORDER BY 1")
    return try tables.flatMap { table in
      let columns = try rows("SELECT name FROM pragma_table_info('\(table)') ORDER BY 1")
      let list = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
      return ["\(table) \(columns)"] + (try rows("SELECT \(list) FROM \"\(table)\" ORDER BY 1"))
    } + rows("PRAGMA integrity_check") + rows("PRAGMA foreign_key_check")
  }

  /// Copies a store that isn't open anywhere.
  static func copy(_ source: URL, to target: URL) throws {
    for ending in ["", "-wal", "-shm", ".before-migration"] {
      let old = target.path + ending
      if FileManager.default.fileExists(atPath: old) {
        try FileManager.default.removeItem(atPath: old)
      }
      let path = source.path + ending
      if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.copyItem(atPath: path, toPath: old)
      }
    }
  }
}

/// The program that migrates in a separate process.
struct MigrationProcess {
  enum End: Equatable {
    case finished(String)
    case failed(String)
    case killed
  }

  private let process: ChildProcess
  private let output: URL

  init(_ store: URL, _ version: Int, _ words: String...) async throws {
    output = store.deletingLastPathComponent().appending(path: "output-\(UUID().uuidString)")
    try Data().write(to: output)
    process = try await ChildProcess(
      ChildProcess.program("migration-program"), [store.path, "\(version)"] + words,
      output: FileHandle(forWritingTo: output))
  }

  /// Waits for the process.
  func end() async throws -> End {
    let end = try await process.end()
    let text = try String(contentsOf: output, encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return switch end {
    case .exited(0): .finished(text)
    case .exited: .failed(text)
    case .signaled: .killed
    }
  }
}
