/// A data store that records changes, save by save.
public protocol HistoryProviding {
  /// The type that describes one save in the store.
  associatedtype HistoryType: HistoryTransaction

  /// ``HistoryType``, for callers that only have an existential.
  static var historyType: HistoryType.Type { get }

  /// Finds transactions.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` when the predicate asks for transactions after a token, and some
  ///   of these have been deleted.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Deletes the transactions that the descriptor describes.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}
