/// The transactions of a container's stores as they are committed, by whomever: contexts and batches of this container,
/// other containers, other processes. ``ModelContainer/remoteChanges(after:models:authors:)`` makes it.
///
/// Every transaction comes once, those of one store in order and without gaps. They are read from the history when they
/// are asked for, so nothing is lost while the reader is busy, and nothing piles up in memory. What tools write that
/// don't keep the history, such as the `sqlite3` shell, isn't here: ``ModelContainer/remoteChange`` tells of it.
///
/// The sequence ends when the container goes away and when the task is cancelled. It throws
/// ``SwiftDataError/historyTokenExpired`` when something that the reader hasn't seen was deleted, by
/// ``HistoryRetention`` or by hand: read the models anew, and go on from
/// ``ModelContainer/currentHistoryToken()``, taken before.
public struct RemoteChanges: AsyncSequence, Sendable {
  public typealias Element = DefaultHistoryTransaction

  let stores: [any ModelStore]
  let lifetime: ContainerLifetime
  /// The last transaction seen, by store.
  let start: Result<[String: Int64], any Error>
  let filter: RemoteChangeFilter

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(RemoteChangeReader(self)) }

  /// Reads on from where it stands. Used by one task at a time.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let reader: RemoteChangeReader

    fileprivate init(_ reader: RemoteChangeReader) { self.reader = reader }

    /// The next transaction, as soon as there is one; nil when the container has gone or the task is cancelled.
    public mutating func next() async throws -> DefaultHistoryTransaction? {
      try await reader.next(isolation: nil)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> DefaultHistoryTransaction? {
      try await reader.next(isolation: actor)
    }
  }
}

/// Which transactions are wanted.
struct RemoteChangeFilter: Sendable {
  /// The names of the classes' entities; nil for all.
  let entities: Set<String>?
  /// Empty for all.
  let authors: Set<String>

  func passes(_ transaction: DefaultHistoryTransaction) -> Bool {
    if !authors.isEmpty, !(transaction.author.map(authors.contains) ?? false) { return false }
    guard let entities else { return true }
    return transaction.changes.contains {
      entities.contains($0.changedPersistentIdentifier.entityName)
    }
  }
}

extension ModelContainer {
  /// The transactions of the container's default stores, from a place in the history on. An addition to Apple's
  /// interface.
  ///
  /// ```swift
  /// for try await transaction in container.remoteChanges(after: seen) {
  ///   for change in transaction.changes { … }
  ///   seen = transaction.token
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - token: The place behind what is known: what came after it comes first, then what is committed. nil begins
  ///     now; so do stores that the token doesn't name.
  ///   - models: The classes whose changes matter, with their subclasses; empty for all. A transaction comes whole.
  ///   - authors: The authors whose transactions matter; empty for all.
  public func remoteChanges(
    after token: DefaultHistoryToken? = nil, models: [any PersistentModel.Type] = [],
    authors: Set<String> = []
  ) -> RemoteChanges {
    let plans = core.stores.flatMap(\.plans)
    let wanted = plans.filter { plan in
      models.contains { ModelInheritance.isClass(plan.type, orSubclassOf: $0) }
    }
    let start = Result {
      try currentTransactions().merging(token?.tokenValue ?? [:]) { $1 }
    }
    return RemoteChanges(
      stores: core.stores, lifetime: lifetime, start: start,
      filter: RemoteChangeFilter(
        entities: models.isEmpty ? nil : Set(wanted.map(\.name)), authors: authors))
  }

  /// The place behind the last transaction of every default store: where to begin after the models were read anew.
  /// An addition to Apple's interface.
  ///
  /// - Returns: nil when there is no history yet.
  /// - Throws: the store's error when it can't be read.
  public func currentHistoryToken() throws -> DefaultHistoryToken? {
    let transactions = try currentTransactions().filter { $0.value > 0 }
    return transactions.isEmpty ? nil : DefaultHistoryToken(transactions)
  }

  private func currentTransactions() throws -> [String: Int64] {
    var last: [String: Int64] = [:]
    for store in core.stores {
      let token = try store.lastHistoryToken() as? DefaultHistoryToken
      last[store.identifier] = token?.tokenValue?[store.identifier] ?? 0
    }
    return last
  }
}
