import Foundation

/// The changes of one save.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// A position in the history that can be stored and compared.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The identifier of the transaction in its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The time of the commit.
  var timestamp: Date { get }
  /// The changed models.
  var changes: [HistoryChange] { get }
  /// The position directly after this transaction.
  var token: TokenType { get }
  /// The identifier of the transaction, unique in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The store that was changed.
  var storeIdentifier: String { get }
  /// The author of the changes, from ``ModelContext/author``.
  var author: String? { get }
}

/// A position in a store's history that can be stored: transactions after it are new to the reader that stored it.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// The type of the numbers of a token.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// The value by which the store finds the position.
  var tokenValue: TokenType? { get }
}

extension HistoryToken {
  /// The store that the token belongs to: the key of a value that is a dictionary by store, the first in order when
  /// there are several. Empty when the value contains no store.
  public var storeIdentifier: String {
    (tokenValue as? any KeyedByStore)?.firstStore ?? ""
  }
}

private protocol KeyedByStore {
  var firstStore: String? { get }
}

extension Dictionary: KeyedByStore where Key == String {
  fileprivate var firstStore: String? { keys.min() }
}
