import SwiftDataCore
import SwiftDataSQL

/// Texts of statements that create and change side tables.
extension SideTable {
  var quotedName: String { SQLIdentifier.quoted(name) }

  /// The statement that creates the table. Stores keep its text, so it has the line breaks that it always had.
  var creation: String {
    var parts = columns.enumerated().map { index, column in
      let words = "\(column.name) \(column.kind.sql)"
      if key == .number, index == 0 { return "\(words) PRIMARY KEY" }
      return column.isOptional ? words : "\(words) NOT NULL"
    }
    if key != .number { parts.append("PRIMARY KEY (\(keyColumns.joined(separator: ", ")))") }
    for index in parts.indices.dropLast() { parts[index] += "," }
    parts[parts.count - 1] += ")"
    if case .ordered = key { parts[parts.count - 1] += " WITHOUT ROWID" }
    let start = "CREATE TABLE IF NOT EXISTS \(quotedName) ("
    let line = start + parts.joined(separator: " ")
    return line.utf8.count <= Self.lineLength
      ? line : start + "\n  " + Self.lines(parts, indent: 2)
  }

  /// The statements that create the indices.
  var indexCreations: [String] {
    indices.map { index in
      var parts = [
        "CREATE INDEX IF NOT EXISTS \(SQLIdentifier.quoted(index.name))",
        "ON \(quotedName) (\(index.columns.joined(separator: ", ")))",
      ]
      if let condition = index.condition {
        parts.append("WHERE " + SideTableConditionText(condition, in: self).sql)
      }
      return Self.lines(parts, indent: 0)
    }
  }

  private static let lineLength = 100

  /// Joins parts with spaces, and with line breaks where a line would become too long.
  private static func lines(_ parts: [String], indent: Int) -> String {
    var text = ""
    var length = indent
    for part in parts {
      if text.isEmpty {
        text = part
      } else if length + 1 + part.utf8.count > lineLength {
        text += "\n  " + part
        length = 2
      } else {
        text += " " + part
        length += 1
      }
      length += part.utf8.count
    }
    return text
  }

  func insertion(of names: [String], existing: SideTableConflict?) -> String {
    let start = existing == .replace ? "INSERT OR REPLACE INTO" : "INSERT INTO"
    let list = names == columns.map(\.name) ? "" : " (\(names.joined(separator: ", ")))"
    let values = ListStatements.parameters(names.count)
    return "\(start) \(quotedName)\(list) VALUES \(values)"
      + (existing.map { conflictClause($0, names) } ?? "")
  }

  private func conflictClause(_ existing: SideTableConflict, _ names: [String]) -> String {
    switch existing {
    case .replace: return ""
    case .keep: return " ON CONFLICT DO NOTHING"
    case .merge(let rules):
      let changes = names.filter { !keyColumns.contains($0) }.map { name in
        switch rules[name] {
        case nil: "\(name) = excluded.\(name)"
        case .newUnlessNull: "\(name) = coalesce(excluded.\(name), \(name))"
        case .oldUnlessNewIsNull:
          "\(name) = CASE WHEN excluded.\(name) IS NOT NULL THEN \(name) END"
        }
      }
      return " ON CONFLICT (\(keyColumns.joined(separator: ", "))) DO UPDATE SET "
        + changes.joined(separator: ", ")
    }
  }
}

extension SideTable.Column.Kind {
  fileprivate var sql: String {
    switch self {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    }
  }
}

/// A condition on a side table as SQL text, with the values of its parameters.
struct SideTableConditionText {
  private(set) var sql = ""
  private(set) var bindings: [ColumnValue] = []
  /// The prefix of the columns, when there are two tables.
  private let prefix: String
  private let table: SideTable

  init(_ condition: SideTableCondition, in table: SideTable, prefix: String = "") {
    self.table = table
    self.prefix = prefix
    append(condition, isPart: false)
  }

  private mutating func append(_ condition: SideTableCondition, isPart: Bool) {
    switch condition {
    case .isNull(let name): sql += "\(prefix)\(name) IS NULL"
    case .isNotNull(let name): sql += "\(prefix)\(name) IS NOT NULL"
    case .isTrue(let name): sql += "\(prefix)\(name)"
    case .equal(let name, let value): append(name, "=", value)
    case .less(let name, let value): append(name, "<", value)
    case .atMost(let name, let value): append(name, "<=", value)
    case .greater(let name, let value): append(name, ">", value)
    case .all(let parts): append(parts, " AND ", neutral: "1", isPart: isPart)
    case .any(let parts): append(parts, " OR ", neutral: "0", isPart: isPart)
    case .noRow(let other, let columns, let condition):
      let own = prefix.isEmpty ? "\(table.quotedName)." : prefix
      let inner = SideTableConditionText(condition, in: other, prefix: "o.")
      let pairs = columns.map { "o.\($0) = \(own)\($0)" }
      sql += "NOT EXISTS (SELECT 1 FROM \(other.quotedName) AS o WHERE "
      sql += (pairs + ["(\(inner.sql))"]).joined(separator: " AND ") + ")"
      bindings += inner.bindings
    }
  }

  private mutating func append(_ name: String, _ comparison: String, _ value: ColumnValue) {
    sql += "\(prefix)\(name) \(comparison) ?"
    bindings.append(value)
  }

  private mutating func append(
    _ parts: [SideTableCondition], _ word: String, neutral: String, isPart: Bool
  ) {
    guard !parts.isEmpty else {
      sql += neutral
      return
    }
    if isPart { sql += "(" }
    for (index, part) in parts.enumerated() {
      if index > 0 { sql += word }
      append(part, isPart: true)
    }
    if isPart { sql += ")" }
  }
}
