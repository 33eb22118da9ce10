import Foundation
import SwiftDataCore
import Testing

@testable import SwiftDataSQLite

@Suite("The cells of a statement's rows")
struct StatementRowTests {
  private func connection() throws -> Connection {
    try Connection(.memory(name: UUID().uuidString), role: .writer, isReadOnly: false)
  }

  private func text(_ cell: _Cell) -> String {
    let start = UnsafeRawPointer(bitPattern: Int(cell.bits))
    return String(
      decoding: UnsafeRawBufferPointer(start: start, count: cell.count), as: UTF8.self)
  }

  /// Returns the contents of the rows, one line per row.
  private func rows(_ statement: Statement) throws -> [String] {
    defer { statement.reset() }
    var lines: [String] = []
    while try statement.step() {
      let cells = statement.row(from: 0).map { cell in
        switch cell.kind {
        case .null: "null"
        case .integer: "\(cell.bits)"
        case .real: "\(Double(bitPattern: UInt64(bitPattern: cell.bits)))"
        case .text: "'\(text(cell))'"
        case .blob: "\(cell.count) bytes"
        }
      }
      lines.append(cells.joined(separator: " "))
    }
    return lines
  }

  @Test("columns change their type from row to row")
  func types() throws {
    let connection = try connection()
    let statement = try connection.statement(
      "VALUES (1, 'one'), (2.5, NULL), ('three', x'0102'), (NULL, 4)")
    let expected = ["1 'one'", "2.5 null", "'three' 2 bytes", "null 4"]
    #expect(try rows(statement) == expected)
    #expect(try rows(statement) == expected)
  }

  /// Each part of a compound statement may write its rows to different registers.
  @Test("rows come from several parts of a statement")
  func compounds() throws {
    let connection = try connection()
    try connection.execute("CREATE TABLE t (a, b)")
    try connection.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    let statement = try connection.statement(
      "SELECT a, b, a + 1 FROM t UNION ALL SELECT b, a, 7 FROM t UNION ALL"
        + " SELECT 0, NULL, count(*) FROM t UNION ALL SELECT b, a, 'z' FROM t WHERE a = 2")
    let expected = ["1 'x' 2", "2 'y' 3", "'x' 1 7", "'y' 2 7", "0 null 2", "'y' 2 'z'"]
    #expect(try rows(statement) == expected)
    #expect(try rows(statement) == expected)
  }

  @Test("a statement that SQLite prepares again")
  func preparedAnew() throws {
    let connection = try connection()
    try connection.execute("CREATE TABLE t (a, b)")
    try connection.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    let statement = try connection.statement("SELECT a, b FROM t ORDER BY b DESC, a")
    #expect(try rows(statement) == ["2 'y'", "1 'x'"])
    for step in 0..<20 {
      // Every schema change makes SQLite prepare the statement again.
      try connection.execute("CREATE INDEX i\(step) ON t (b, a)")
      try connection.execute("ALTER TABLE t ADD COLUMN c\(step)")
      #expect(try rows(statement) == ["2 'y'", "1 'x'"])
    }
  }

  @Test("another statement runs between two rows")
  func interleaved() throws {
    let connection = try connection()
    let outer = try connection.statement("VALUES (1, 'a'), (2, 'b')")
    let inner = try connection.statement("SELECT 3, 'c' UNION ALL SELECT 4, 'd'")
    defer { outer.reset() }
    var seen: [Int64] = []
    while try outer.step() {
      #expect(try rows(inner) == ["3 'c'", "4 'd'"])
      let cells = outer.row(from: 0)
      seen.append(cells[0].bits)
      #expect(text(cells[1]) == ["a", "b"][Int(cells[0].bits) - 1])
    }
    #expect(seen == [1, 2])
  }
}
