import CSQLite
import Foundation

/// A modification of a store by another program.
struct HostileCase {
  enum Change {
    case sql(String)
    /// Replaces the bytes of the file, based on the existing ones.
    case bytes((inout [UInt8]) -> Void)
  }

  let name: String
  let change: Change
  /// Whether models must be read as before, or not at all.
  let keepsRows: Bool
}

/// The base of all cases, read with SQLite as any program would read it.
struct Database {
  struct Failure: Error { let message: String }

  private let handle: OpaquePointer

  init(_ file: URL) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(file.path, &opened) == SQLITE_OK, let opened else {
      throw Failure(message: "\(file.path) can't be opened")
    }
    handle = opened
  }

  func close() { sqlite3_close_v2(handle) }

  func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw Failure(message: String(cString: sqlite3_errmsg(handle)))
    }
  }

  /// Returns all rows of a query, each as a list of texts.
  func rows(_ sql: String) throws -> [[String]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(message: String(cString: sqlite3_errmsg(handle)))
    }
    defer { sqlite3_finalize(statement) }
    var rows: [[String]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        })
    }
    return rows
  }
}

extension Database {
  struct Cell {
    let table: String
    let column: String
    /// The condition that finds the row, in SQL.
    let row: String
    /// The bytes of a text or a blob in hexadecimal digits; empty for another value.
    let bytes: String
    let isText: Bool
    /// Whether the cell is in a table that the library uses internally.
    let isOwn: Bool
  }

  /// Returns the cells of all tables; of the models' tables, those of two rows each.
  func cells() throws -> [Cell] {
    let tables = try rows(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        + " ORDER BY name")
    var cells: [Cell] = []
    for table in tables {
      let name = "\"\(table[0])\""
      let columns = try rows("SELECT name, pk FROM pragma_table_info('\(table[0])')")
      let isOwn =
        table[0].hasPrefix("_") || table[0].contains("_search")
        || table[0].contains("_rtree")
      let keys = columns.filter { $0[1] != "0" }.map { $0[0] }
      let key = keys.isEmpty ? ["rowid"] : keys
      let literals = key.map { "'\"\($0)\" IS ' || quote(\"\($0)\")" }
        .joined(separator: " || ' AND ' || ")
      for condition in try rows(
        "SELECT \(literals) FROM \(name) LIMIT \(isOwn ? 20 : 2)"
      ).map({ $0[0] }) {
        for column in columns.map({ $0[0] }) {
          let found = try rows(
            "SELECT typeof(\"\(column)\"), CASE WHEN typeof(\"\(column)\") IN ('text', 'blob')"
              + " THEN hex(\"\(column)\") ELSE '' END FROM \(name) WHERE \(condition)")
          guard let value = found.first else { continue }
          cells.append(
            Cell(
              table: table[0], column: column, row: condition, bytes: value[1],
              isText: value[0] == "text", isOwn: isOwn))
        }
      }
    }
    return cells
  }
}
