import Foundation
import Testing

@Suite("The texts of one database are in its dialect")
struct DialectTextTests {
  /// Words of SQLite's SQL, and of the functions that the framework adds to it.
  private static let words = [
    "osd_", "OSD_", "json_", "COLLATE", "IFNULL", "ifnull", "< ''", ">= ''", "x''", "'NaN'",
    "\" IS \"", "\" IS NOT \"", "WITHOUT ROWID", "CROSS JOIN", "CREATE TRIGGER", "RAISE(",
    "AUTOINCREMENT", "OR REPLACE", "OR IGNORE", "rtree", "fts5", "MATCH", "strftime", "typeof(",
    "instr(", "hex(", "substr(", "sqlite_", "PRAGMA", "\"INTEGER", "\"TEXT", "\"REAL", "\"BLOB",
    " INTEGER", " TEXT", " REAL", " BLOB", "_rowNumbers", "_rownumbers", "SQLiteDialect",
  ]

  /// The words that other files may have, with the reason.
  private static let exceptions: [String: (words: [String], reason: String)] = [
    "Schema/SchemaNames.swift": (
      ["_rownumbers"], "an entity must not take the name of a table that a store may have"
    )
  ]

  @Test("no other file has SQLite's words")
  func words() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/SwiftDataSQL").standardizedFileURL
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Dialect/") }
    #expect(files.count > 40)
    for file in files {
      let code = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
        .split(separator: "\n").map(Self.withoutComment).joined(separator: "\n")
      let allowed = Self.exceptions[file]?.words ?? []
      for word in Self.words where !allowed.contains(word) {
        #expect(!code.contains(word), "\(file) has \(word)")
      }
      for word in allowed { #expect(code.contains(word), "the exception \(word) isn't needed") }
    }
  }

  /// A line without its comment. An address in a text may be taken for one.
  private static func withoutComment(_ line: Substring) -> Substring {
    line.range(of: "//").map { line[..<$0.lowerBound] } ?? line
  }
}
