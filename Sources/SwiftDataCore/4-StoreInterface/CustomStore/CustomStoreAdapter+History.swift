import Foundation

/// A custom store has a history when it is ``HistoryProviding``.
extension CustomStoreAdapter: StoreHistory where Store: HistoryProviding {
  package var recordsHistory: Bool {
    Store.HistoryType.TokenType.self is any HistoryToken.Type
  }

  package func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    guard let descriptor = descriptor as? HistoryDescriptor<Store.HistoryType> else { return nil }
    return try withStore { store, _ in try store.fetchHistory(descriptor) as? [T] }
  }

  package func removeHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<Store.HistoryType> else {
      return false
    }
    try withStore { store, _ in try store.deleteHistory(descriptor) }
    return true
  }

  package func historyEvents(
    after token: (any HistoryToken)?, authors: Set<String>
  ) throws -> [StoreHistoryEvent] {
    let seen = token as? Store.HistoryType.TokenType
    return try withStore { store, _ in
      // Translating tokens into predicates is specific to the store; comparing them works for all stores.
      try store.fetchHistory(HistoryDescriptor()).filter { transaction in
        seen.map { transaction.token > $0 } ?? true
      }.sorted { $0.token < $1.token }.compactMap { transaction in
        (transaction.token as? any HistoryToken).map { token in
          StoreHistoryEvent(
            entities: Set(transaction.changes.map(\.changedPersistentIdentifier.entityName)),
            author: transaction.author, token: token)
        }
      }
    }
  }

  package func lastHistoryToken() throws -> (any HistoryToken)? {
    // A store that doesn't sort returns an older token, which makes its reader read more, never less.
    var newest = HistoryDescriptor<Store.HistoryType>(
      sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
    newest.fetchLimit = 1
    return try withStore { store, _ in
      try store.fetchHistory(newest).map(\.token).max() as? any HistoryToken
    }
  }
}

extension CustomStoreAdapter {
  /// Returns the history token after a save, which has succeeded, so its result doesn't depend on reading the token.
  func tokenAfterSave() -> (any HistoryToken)? {
    do { return try (self as? any StoreHistory)?.lastHistoryToken() } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "The history of \(configurationName) can't be read after a save", error
      )
      return nil
    }
  }
}
