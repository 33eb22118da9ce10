import Foundation

/// Which transactions of a store's history are wanted, in which order, how many.
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
  /// Which transactions; nil means all.
  public var predicate: Predicate<TransactionType>?
  /// At most so many transactions; 0 means no limit.
  public var fetchLimit: UInt64 = 0
  /// The order, most important key first. Without any, the oldest transaction comes first.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// - Parameters:
  ///   - predicate: Which transactions; nil means all.
  ///   - sortBy: The order, most important key first.
  public init(
    predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>]
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// - Parameter predicate: Which transactions; nil means all.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.init(predicate: predicate, sortBy: [])
  }

  /// ``fetchLimit`` as a number of elements; nil when there is none.
  package var limit: Int? { fetchLimit == 0 ? nil : Int(clamping: fetchLimit) }
}
