import Foundation

/// A custom store has a history when it is ``HistoryProviding``.
extension CustomStoreAdapter {
  package var recordsHistory: Bool {
    guard let type = Store.self as? any HistoryProviding.Type else { return false }
    func open<Provider: HistoryProviding>(_ type: Provider.Type) -> Bool {
      Provider.HistoryType.TokenType.self is any HistoryToken.Type
    }
    return open(type)
  }

  package func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    try withStore { store, _ in
      guard let providing = store as? any HistoryProviding else { return nil }
      func open<Provider: HistoryProviding>(_ provider: Provider) throws -> [T]? {
        guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else {
          return nil
        }
        return try provider.fetchHistory(descriptor) as? [T]
      }
      return try open(providing)
    }
  }

  package func removeHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool {
    try withStore { store, _ in
      guard let providing = store as? any HistoryProviding else { return false }
      func open<Provider: HistoryProviding>(_ provider: Provider) throws -> Bool {
        guard let descriptor = descriptor as? HistoryDescriptor<Provider.HistoryType> else {
          return false
        }
        try provider.deleteHistory(descriptor)
        return true
      }
      return try open(providing)
    }
  }

  package func historyEvents(
    after token: (any HistoryToken)?, authors: Set<String>
  ) throws -> [StoreHistoryEvent] {
    try withStore { store, _ in
      guard let providing = store as? any HistoryProviding else { return [] }
      func open<Provider: HistoryProviding>(_ provider: Provider) throws -> [StoreHistoryEvent] {
        typealias Token = Provider.HistoryType.TokenType
        let seen = token as? Token
        // Translating tokens into predicates is specific to the store; comparing them works for all stores.
        return try provider.fetchHistory(HistoryDescriptor()).filter { transaction in
          seen.map { transaction.token > $0 } ?? true
        }.sorted { $0.token < $1.token }.compactMap { transaction in
          (transaction.token as? any HistoryToken).map { token in
            StoreHistoryEvent(
              entities: Set(transaction.changes.map(\.changedPersistentIdentifier.entityName)),
              author: transaction.author, token: token)
          }
        }
      }
      return try open(providing)
    }
  }

  package func lastHistoryToken() throws -> (any HistoryToken)? {
    try withStore { store, _ in
      guard let providing = store as? any HistoryProviding else { return nil }
      func open<Provider: HistoryProviding>(_ provider: Provider) throws -> (any HistoryToken)? {
        // A store that doesn't sort returns an older token, which makes its reader read more, never less.
        var newest = HistoryDescriptor<Provider.HistoryType>(
          sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
        newest.fetchLimit = 1
        return try provider.fetchHistory(newest).map(\.token).max() as? any HistoryToken
      }
      return try open(providing)
    }
  }

  /// Returns the history token after a save, which has succeeded, so its result doesn't depend on reading the token.
  func tokenAfterSave() -> (any HistoryToken)? {
    do { return try lastHistoryToken() } catch {
      SwiftDataLog.report(
        .error, "SwiftData", "The history of \(configurationName) can't be read after a save", error
      )
      return nil
    }
  }
}
