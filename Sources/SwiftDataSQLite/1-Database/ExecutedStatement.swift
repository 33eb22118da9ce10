/// One statement that a store has executed.
package struct ExecutedStatement: Sendable {
  /// The statement's number among those of its store, from 1.
  package let number: Int
  /// The name of the store's configuration.
  package let store: String
  /// Whether the statement can't change the store.
  package let isReading: Bool
  /// The text, with `?` in place of values.
  package let sql: String
  /// The text with its values, cut off after 10,000 characters; nil unless a listener includes values.
  package internal(set) var expandedSQL: String?
  /// The number of rows returned.
  package let rows: Int
  /// The time from its start until its reset, which includes the processing of each row.
  package let duration: Duration
}
