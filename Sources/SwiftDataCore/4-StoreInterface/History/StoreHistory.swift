/// A store with a history, for contexts and observers.
package protocol StoreHistory: RowStore {
  /// Whether commits are recorded in the history, with tokens that can be stored.
  var recordsHistory: Bool { get }

  /// Returns the transactions that a descriptor selects; nil when the store's history is of another type.
  func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?

  /// Deletes transactions; returns false when the store's history is of another type.
  func removeHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool

  /// Returns the transactions after a position, oldest first, without the single changes.
  ///
  /// - Parameters:
  ///   - token: The position; nil for the beginning of the kept history.
  ///   - authors: The authors whose transactions the caller wants, empty for all. Transactions of other authors may be
  ///     in the result; their deletion doesn't expire the token.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` as a fetch of history does.
  func historyEvents(
    after token: (any HistoryToken)?, authors: Set<String>
  ) throws -> [StoreHistoryEvent]

  /// Returns the position after the last transaction; nil when there was none.
  func lastHistoryToken() throws -> (any HistoryToken)?
}

/// The history of a store that has a public one.
extension StoreHistory where Self: HistoryProviding {
  package func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    guard let descriptor = descriptor as? HistoryDescriptor<HistoryType> else { return nil }
    return try fetchHistory(descriptor) as? [T]
  }

  package func removeHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<HistoryType> else { return false }
    try deleteHistory(descriptor)
    return true
  }
}

/// A history of transactions with consecutive numbers, the changes of single rows, and consumers.
package protocol NumberedHistory: StoreHistory {
  /// Returns some of the transactions after a number, oldest first; none when there are no more.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` as a fetch of history does.
  func historyPage(after number: Int64) throws -> [DefaultHistoryTransaction]

  /// Calls `body` with the changes of every transaction after a number, in order.
  ///
  /// - Returns: The number of the last transaction.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` as a fetch of history does.
  func forEachChange(
    after number: Int64, _ body: (ChangedRows) throws -> Void
  ) throws -> Int64

  /// Returns the registered consumers of the history.
  func historyConsumers() throws -> [StoredHistoryConsumer]

  /// Changes the state of a consumer.
  ///
  /// - Returns: The consumer after the change; nil when it isn't known, or was removed.
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
