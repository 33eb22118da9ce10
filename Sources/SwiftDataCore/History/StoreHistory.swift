/// What a context and its observers need of a store's history. A store that keeps none answers nil or nothing.
package protocol StoreHistory {
  /// Whether commits come into the history, with tokens that can be kept.
  var recordsHistory: Bool { get }

  /// The transactions that a descriptor asks for; nil when the store's history is of another type, or it has none.
  func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?

  /// Forgets transactions; false when the store's history is of another type, or it has none.
  func removeHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool

  /// What happened behind a place, oldest first, without the single changes.
  ///
  /// - Parameters:
  ///   - token: The place; nil for the beginning of what is kept.
  ///   - authors: The authors whose transactions the caller wants, empty for all. Transactions of others may be in the
  ///     answer; their deletion doesn't expire the token.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` as a fetch of history does.
  func historyEvents(
    after token: (any HistoryToken)?, authors: Set<String>
  ) throws -> [StoreHistoryEvent]

  /// The place behind the last transaction; nil when there was none.
  func lastHistoryToken() throws -> (any HistoryToken)?

  /// Some of the transactions behind a number, oldest first: none when there are no more.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` as a fetch of history does.
  func historyPage(after number: Int64) throws -> [DefaultHistoryTransaction]

  /// Calls `body` with the changes of every transaction behind a number, in order.
  ///
  /// - Returns: The number of the last transaction.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` as a fetch of history does.
  func forEachChange(
    after number: Int64, _ body: (ChangedRows) throws -> Void
  ) throws -> Int64

  /// Those who come back for the rest of the history.
  func historyConsumers() throws -> [StoredHistoryConsumer]

  /// Changes what is known of a consumer.
  ///
  /// - Returns: The consumer then; nil when it isn't known, or isn't any more.
  func change(
    historyConsumer name: String, _ change: HistoryConsumerChange
  ) throws -> StoredHistoryConsumer?
}

/// A transaction without its single changes.
package struct StoreHistoryEvent: Sendable {
  package let entities: Set<String>
  package let author: String?
  package let token: any HistoryToken

  package init(entities: Set<String>, author: String?, token: any HistoryToken) {
    self.entities = entities
    self.author = author
    self.token = token
  }
}

extension StoreHistory {
  package var recordsHistory: Bool { false }

  package func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    nil
  }

  package func removeHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool { false }

  package func historyEvents(
    after token: (any HistoryToken)?, authors: Set<String>
  ) throws -> [StoreHistoryEvent] { [] }

  package func lastHistoryToken() throws -> (any HistoryToken)? { nil }

  package func historyPage(after number: Int64) throws -> [DefaultHistoryTransaction] { [] }

  package func forEachChange(
    after number: Int64, _ body: (ChangedRows) throws -> Void
  ) throws -> Int64 { number }

  package func historyConsumers() throws -> [StoredHistoryConsumer] { [] }

  package func change(
    historyConsumer name: String, _ change: HistoryConsumerChange
  ) throws -> StoredHistoryConsumer? { nil }
}
