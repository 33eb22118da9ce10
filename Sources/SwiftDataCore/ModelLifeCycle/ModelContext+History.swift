import Foundation

extension ModelContext {
  /// Finds what was saved in the container's stores, by whomever: a transaction for every save and every batch.
  ///
  /// ```swift
  /// var new = HistoryDescriptor<DefaultHistoryTransaction>()
  /// if let seen { new.predicate = #Predicate { $0.token > seen } }
  /// for transaction in try context.fetchHistory(new) { … }
  /// ```
  ///
  /// Unsaved changes aren't in the history. With several stores the transactions of all of them come together,
  /// by `timestamp` when the descriptor has no order.
  ///
  /// - Parameter descriptor: Which transactions, in which order, how many.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` when something after the predicate's token has been deleted
  ///   already, ``SwiftDataError/invalidTransactionFetchRequest`` when no store keeps a history of that type, and
  ///   what the predicate throws.
  public func fetchHistory<T>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> [T] where T: HistoryTransaction {
    let answers = try core.stores.compactMap { try $0.history(descriptor) }
    guard let first = answers.first else { throw Self.noHistory(of: T.self) }
    guard answers.count > 1 else { return first }
    let all = answers.joined()
    let sorted =
      descriptor.sortBy.isEmpty
      ? all.sorted { $0.timestamp < $1.timestamp } : all.sorted(using: descriptor.sortBy)
    return Array(sorted.prefix(descriptor.limit ?? sorted.count))
  }

  /// Forgets transactions. Tokens from before the newest of them are worth nothing any more: a fetch of what came
  /// after such a token throws ``SwiftDataError/historyTokenExpired``.
  ///
  /// - Parameter descriptor: Which transactions. With a limit, so many in its order in each store.
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` when no store keeps a history of that type, and
  ///   the store's error when it can't be written.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws
  where T: HistoryTransaction {
    let answers = try core.stores.map { try $0.removeHistory(descriptor) }
    guard answers.contains(true) else { throw Self.noHistory(of: T.self) }
  }

  private static func noHistory(of type: any HistoryTransaction.Type) -> SwiftDataError {
    .invalidTransactionFetchRequest.explained(
      "No store of the container keeps a history of \(type). The default store's transactions are"
        + " DefaultHistoryTransaction.")
  }
}
