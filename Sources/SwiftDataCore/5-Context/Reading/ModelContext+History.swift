import Foundation

extension ModelContext {
  /// Returns the history of saves in the container's stores by any writer: one transaction for every save and every
  /// batch.
  ///
  /// ```swift
  /// var new = HistoryDescriptor<DefaultHistoryTransaction>()
  /// if let seen { new.predicate = #Predicate { $0.token > seen } }
  /// for transaction in try context.fetchHistory(new) { … }
  /// ```
  ///
  /// Unsaved changes aren't in the history. With several stores, the transactions of all of them are returned together,
  /// by `timestamp` when the descriptor has no order; their tokens then name the position in each store.
  ///
  /// - Parameter descriptor: The transactions to return, their order and their maximum number.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` when transactions after the predicate's token have been deleted
  ///   already, or it is a token of none of the container's stores,
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` when no store keeps a history of that type, and the errors of
  ///   the predicate.
  public func fetchHistory<T>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> [T] where T: HistoryTransaction {
    let tokens = try core.requireOwnTokens(in: descriptor)
    var answers: [[T]] = []
    var last: [String: Int64] = [:]
    let isJoint = core.capabilities.count { $0.numberedHistory != nil } > 1
    for store in core.capabilities {
      guard let history = store.history else { continue }
      // Before the transactions are read: those of later commits come after this position.
      let number = try isJoint ? store.numberedHistory?.lastTransaction() : nil
      guard let answer = try history.history(descriptor) else { continue }
      answers.append(answer)
      last[history.identifier] = number
    }
    guard let first = answers.first else { throw Self.noHistory(of: T.self) }
    guard answers.count > 1 else { return first }
    if descriptor.sortBy.isEmpty, let answers = answers as? [[DefaultHistoryTransaction]] {
      var merge = HistoryMerge(answers, after: tokens, last: last)
      if let merged = merge.transactions(descriptor.limit) as? [T] { return merged }
    }
    let all = answers.joined()
    let sorted =
      descriptor.sortBy.isEmpty
      ? all.sorted { $0.timestamp < $1.timestamp } : all.sorted(using: descriptor.sortBy)
    return Array(sorted.prefix(descriptor.limit ?? sorted.count))
  }

  /// Deletes transactions. Tokens from before the newest of them become invalid: a fetch of the transactions after such
  /// a token throws ``SwiftDataError/historyTokenExpired``.
  ///
  /// - Parameter descriptor: The transactions to delete. A limit is the maximum number per store, in the descriptor's
  ///   order.
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` when no store keeps a history of that type,
  ///   ``SwiftDataError/historyTokenExpired`` when the predicate has a token of none of the container's stores, and the
  ///   store's error when it can't be written.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws
  where T: HistoryTransaction {
    try core.requireOwnTokens(in: descriptor)
    let answers = try core.capabilities.map { try $0.history?.removeHistory(descriptor) }
    guard answers.contains(true) else { throw Self.noHistory(of: T.self) }
  }

  private static func noHistory(of type: any HistoryTransaction.Type) -> SwiftDataError {
    .invalidTransactionFetchRequest.explained(
      "No store of the container keeps a history of \(type). The default store's transactions are"
        + " DefaultHistoryTransaction.")
  }
}
