import Foundation

/// The changes of one save, or one batch, in a default store.
public struct DefaultHistoryTransaction: HistoryTransaction {
  public typealias TransactionIdentifier = Int64
  public typealias TokenType = DefaultHistoryToken

  /// The time of the commit.
  public let timestamp: Date
  /// The changed models, entity by entity.
  public let changes: [HistoryChange]
  /// The position directly after this transaction. In an answer over several stores it names the position of each: a
  /// reader that has seen the answer up to here continues from it.
  public private(set) var token: DefaultHistoryToken
  /// The number of the transaction: the store counts them without gaps from 1.
  public let transactionIdentifier: Int64
  public let storeIdentifier: String
  /// The program that made the changes: its bundle identifier, or its name where it isn't a bundle.
  public let bundleIdentifier: String
  /// The process that made the changes, as a decimal number.
  public let processIdentifier: String
  /// The author of the changes, from ``ModelContext/author``.
  public let author: String?

  public var id: Int64 { transactionIdentifier }

  package init(
    timestamp: Date, changes: [HistoryChange], transactionIdentifier: Int64,
    storeIdentifier: String, bundleIdentifier: String, processIdentifier: String, author: String?
  ) {
    self.timestamp = timestamp
    self.changes = changes
    token = DefaultHistoryToken(store: storeIdentifier, transaction: transactionIdentifier)
    self.transactionIdentifier = transactionIdentifier
    self.storeIdentifier = storeIdentifier
    self.bundleIdentifier = bundleIdentifier
    self.processIdentifier = processIdentifier
    self.author = author
  }

  /// Transactions are equal when their stores and numbers are.
  public static func == (lhs: DefaultHistoryTransaction, rhs: DefaultHistoryTransaction) -> Bool {
    lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.storeIdentifier == rhs.storeIdentifier
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }

  /// Returns the transaction with a position that names other stores, too.
  package func positioned(at token: DefaultHistoryToken) -> DefaultHistoryTransaction {
    var transaction = self
    transaction.token = token
    return transaction
  }
}
