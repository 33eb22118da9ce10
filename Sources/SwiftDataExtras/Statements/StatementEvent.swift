import SwiftDataCore
import SwiftDataSQL

/// One statement that a store has executed.
public struct StatementEvent: Sendable, CustomStringConvertible {
  /// The effect of a statement on the store.
  public enum Kind: String, Hashable, Sendable {
    /// A statement that only reads, or one that writes.
    case read, write
  }

  /// The statement's number among those of its store, from 1.
  public let number: Int
  /// The name of the store's configuration.
  public let store: String
  /// Whether the statement writes.
  public let kind: Kind
  /// The text, with `?` in place of values.
  public let sql: String
  /// The text with its values, at most 10,000 characters of it; nil unless values were requested.
  public let expandedSQL: String?
  /// The number of rows returned.
  public let rows: Int
  /// The time from its start until its reset, which includes the processing of each row.
  public let duration: Duration

  init(_ statement: ExecutedStatement) {
    number = statement.number
    store = statement.store
    kind = statement.isReading ? .read : .write
    sql = statement.sql
    expandedSQL = statement.expandedSQL
    rows = statement.rows
    duration = statement.duration
  }

  public var description: String { "\(store) \(number), \(duration), \(rows) rows: \(sql)" }
}
