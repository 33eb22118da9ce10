import Foundation

/// What one save changed.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// A place in the history that can be kept and compared.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// Names the transaction in its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// When it was committed.
  var timestamp: Date { get }
  /// What became of which model.
  var changes: [HistoryChange] { get }
  /// The place right behind this transaction.
  var token: TokenType { get }
  var transactionIdentifier: TransactionIdentifier { get }
  /// The store that was changed.
  var storeIdentifier: String { get }
  /// Who made the changes, as ``ModelContext/author`` said.
  var author: String? { get }
}

/// A place in a store's history, for keeping: what comes after it is new to whoever kept it.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  associatedtype TokenType: Codable, Hashable, Sendable

  /// What the store needs to find the place.
  var tokenValue: TokenType? { get }
}

extension HistoryToken {
  /// The store that the token belongs to: the key of a value that is a dictionary by store, the first in order
  /// when there are several. Empty when the value doesn't say.
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
