/// The transactions of a container's stores as they are committed, by any writer: contexts and batches of this
/// container, other containers, other processes. Created by ``ModelContainer/remoteChanges(after:models:authors:)``.
///
/// Every transaction is returned once, those of one store in order and without gaps. They are read from the history on
/// request, so nothing is lost while the reader is busy, and nothing accumulates in memory. Changes by tools that don't
/// keep the history, such as the `sqlite3` shell, aren't included: ``ModelContainer/remoteChange`` reports them.
///
/// The sequence ends when the container is released and when the task is cancelled. It throws
/// ``SwiftDataError/historyTokenExpired`` when transactions that the reader hasn't seen were deleted, by
/// ``HistoryRetention`` or explicitly: read the models again, and continue from
/// ``ModelContainer/currentHistoryToken()``, taken before.
public struct RemoteChanges: AsyncSequence, Sendable {
  public typealias Element = DefaultHistoryTransaction

  let stores: [any NumberedHistory]
  let lifetime: ContainerLifetime
  /// The last transaction seen, by store.
  let start: Result<[String: Int64], any Error>
  let filter: RemoteChangeFilter

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(RemoteChangeReader(self)) }

  /// Continues reading from its position. Used by one task at a time.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let reader: RemoteChangeReader

    fileprivate init(_ reader: RemoteChangeReader) { self.reader = reader }

    /// Returns the next transaction, as soon as there is one; nil when the container was released or the task is
    /// cancelled.
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

/// The condition for transactions to be returned.
struct RemoteChangeFilter: Sendable {
  /// The names of the classes' entities; nil for all.
  let entities: Set<String>?
  /// The authors; empty for all.
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
  /// Returns the transactions of the container's default stores, from a position in the history on. An addition to
  /// Apple's interface.
  ///
  /// ```swift
  /// for try await transaction in container.remoteChanges(after: seen) {
  ///   for change in transaction.changes { … }
  ///   seen = transaction.token
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - token: The position up to which the history is known: transactions after it come first, then new ones. nil
  ///     begins now, and so do stores that the token doesn't name. A token of none of the container's stores makes the
  ///     sequence throw ``SwiftDataError/historyTokenExpired``.
  ///   - models: The classes whose changes are returned, with their subclasses; empty for all. Matching transactions
  ///     are returned whole.
  ///   - authors: The authors whose transactions are returned; empty for all.
  public func remoteChanges(
    after token: DefaultHistoryToken? = nil, models: [any PersistentModel.Type] = [],
    authors: Set<String> = []
  ) -> RemoteChanges {
    let plans = core.plans
    let wanted = plans.filter { plan in
      models.contains { ModelInheritance.isClass(plan.type, orSubclassOf: $0) }
    }
    let start = Result {
      if let token { try core.requireOwn(token) }
      return try currentTransactions().merging(token?.tokenValue ?? [:]) { $1 }
    }
    return RemoteChanges(
      stores: core.capabilities.compactMap(\.numberedHistory), lifetime: lifetime, start: start,
      filter: RemoteChangeFilter(
        entities: models.isEmpty ? nil : Set(wanted.map(\.name)), authors: authors))
  }

  /// The position after the last transaction of every default store: the position to continue from after the models
  /// were read again. An addition to Apple's interface.
  ///
  /// - Returns: The position; nil when there is no history yet.
  /// - Throws: The store's error when it can't be read.
  public func currentHistoryToken() throws -> DefaultHistoryToken? {
    let transactions = try currentTransactions().filter { $0.value > 0 }
    return transactions.isEmpty ? nil : DefaultHistoryToken(transactions)
  }

  private func currentTransactions() throws -> [String: Int64] {
    var last: [String: Int64] = [:]
    for store in core.capabilities.compactMap(\.history) {
      last[store.identifier] = try store.lastTransaction()
    }
    return last
  }
}
