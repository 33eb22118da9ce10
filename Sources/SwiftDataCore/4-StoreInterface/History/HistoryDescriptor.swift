import Foundation

/// A selection of transactions of a store's history, with their order and maximum number.
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
  /// The condition for transactions; nil means all.
  public var predicate: Predicate<TransactionType>?
  /// The maximum number of transactions to return; 0 means no limit.
  public var fetchLimit: UInt64 = 0
  /// The order, most important key first. By default the oldest transaction comes first.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// - Parameters:
  ///   - predicate: The condition for transactions; nil means all.
  ///   - sortBy: The order, most important key first.
  public init(
    predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>]
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// - Parameter predicate: The condition for transactions; nil means all.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.init(predicate: predicate, sortBy: [])
  }

  /// ``fetchLimit`` as a number of elements; nil when there is none.
  package var limit: Int? { fetchLimit == 0 ? nil : Int(clamping: fetchLimit) }
}
