/// A data store that remembers what was changed, save by save.
public protocol HistoryProviding {
  /// How the store describes one save.
  associatedtype HistoryType: HistoryTransaction

  /// ``HistoryType``, for callers that only have an existential.
  static var historyType: HistoryType.Type { get }

  /// Finds transactions.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` when the predicate asks for what came after a token, and
  ///   some of that has been deleted.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Forgets the transactions that the descriptor describes.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}
