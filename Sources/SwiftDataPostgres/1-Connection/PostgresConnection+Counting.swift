import SwiftDataCore
import SwiftDataSQL

/// The count and the log of a store's statements.
extension PostgresConnection {
  /// The first words of statements that manage sessions and transactions.
  private static let managing = [
    "BEGIN", "COMMIT", "ROLLBACK", "SET ", "SAVEPOINT", "RELEASE", "DEALLOCATE", "EXPLAIN",
  ]

  /// The beginnings of the quoted names of the store's own tables and sequences.
  private static let ownNames = ["history", "metadata", "store", "rows", "foreign"]

  /// Whether a statement is work on models: neither settings nor transactions nor the store's own tables.
  static func isCounted(_ sql: String) -> Bool {
    if managing.contains(where: sql.hasPrefix) { return false }
    var rest = sql.utf8[...]
    while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
      rest = rest[rest.index(after: quote)...]
      guard rest.first == UInt8(ascii: "_") else { continue }
      let name = rest.dropFirst()
      if ownNames.contains(where: { name.starts(with: $0.utf8) }) { return false }
    }
    return true
  }

  /// Counts a statement that is about to run; returns the data for listeners, nil without any.
  func beginCounting(
    _ command: PostgresCommand, _ form: PostgresStatementForm
  ) -> StatementRun? {
    guard form.isCounted, let counter else { return nil }
    return counter.begin { command.expanded }
  }

  func endCounting(_ run: StatementRun?, _ command: PostgresCommand, _ rows: Int) {
    guard let run else { return }
    counter?.end(
      run, sql: command.sql, isReading: command.sql.hasPrefix("SELECT"), rows: rows)
  }
}

extension PostgresCommand {
  /// The text with its values in place of the parameters.
  var expanded: String {
    var output = String.UnicodeScalarView()
    var rest = sql.unicodeScalars[...]
    var isQuoted = false
    while let scalar = rest.popFirst() {
      if scalar == "'" { isQuoted.toggle() }
      let digits = rest.prefix { ("0"..."9").contains($0) }
      guard scalar == "$", !isQuoted, let number = Int(String(digits)),
        values.indices.contains(number - 1)
      else {
        output.append(scalar)
        continue
      }
      rest = rest[digits.endIndex...]
      output.append(contentsOf: values[number - 1].explained.unicodeScalars)
    }
    return String(output)
  }
}

extension PostgresValue {
  /// The value in SQL, or the number of a list's values.
  var explained: String {
    switch self {
    case .list(let list): "(\(list.count) values)"
    case .single(let list): list.explainedFirst
    case .value(.null): "NULL"
    case .value(.integer(let integer)): "\(integer)"
    case .value(.real(let real)): "\(real)"
    case .value(.text(let text)): SQLIdentifier.literal(text)
    case .value(.blob(let bytes)): "(\(bytes.count) bytes)"
    }
  }
}
