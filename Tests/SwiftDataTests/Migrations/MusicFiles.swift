import CSQLite
import Foundation
import MigrationSamples

/// Stores of the sample versions, as files.
enum MusicFiles {
  /// What models have in a file: every row of every table but the history and the metadata.
  static func contents(_ file: URL) throws -> [String] {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard sqlite3_open(file.path, &database) == SQLITE_OK else {
      throw SQLiteFile.Failure(description: "\(file.path) can't be opened")
    }
    let tables = try rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'"
        + " AND name NOT LIKE '%\\_search%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' ORDER BY 1",
      database)
    return try tables.flatMap { table in
      let columns = try rows("SELECT name FROM pragma_table_info('\(table)') ORDER BY 1", database)
      let list = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
      return ["\(table) \(columns)"]
        + (try rows("SELECT \(list) FROM \"\(table)\" ORDER BY 1", database))
    } + rows("PRAGMA integrity_check", database) + rows("PRAGMA foreign_key_check", database)
  }

  private static func rows(_ sql: String, _ database: OpaquePointer?) throws -> [String] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
      throw SQLiteFile.Failure(description: String(cString: sqlite3_errmsg(database)))
    }
    var rows: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
    }
    return rows
  }

  /// Copies a store that nobody has open.
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

/// The program that migrates in a process of its own.
struct MigrationProcess {
  enum End: Equatable {
    case finished(String)
    case failed(String)
    case killed
  }

  private let process = Process()
  private let output: URL

  init(_ store: URL, _ version: Int, _ words: String...) throws {
    var place = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
    var found: URL?
    while found == nil, place.path != "/" {
      place.deleteLastPathComponent()
      let candidate = place.appendingPathComponent("migration-program")
      if FileManager.default.isExecutableFile(atPath: candidate.path) { found = candidate }
    }
    guard let found else {
      throw SQLiteFile.Failure(description: "migration-program isn't beside the tests")
    }
    output = store.deletingLastPathComponent().appending(path: "output-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    process.executableURL = found
    process.arguments = [store.path, "\(version)"] + words
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Waits for the process.
  func end() throws -> End {
    process.waitUntilExit()
    let text = try String(contentsOf: output, encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    if process.terminationReason == .uncaughtSignal { return .killed }
    return process.terminationStatus == 0 ? .finished(text) : .failed(text)
  }
}
