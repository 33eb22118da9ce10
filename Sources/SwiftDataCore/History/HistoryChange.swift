/// What a transaction did to one model.
public enum HistoryChange: Sendable {
  case insert(any HistoryInsert)
  case update(any HistoryUpdate)
  case delete(any HistoryDelete)

  /// The model. After a deletion nothing is found under it any more.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

/// A model was inserted.
public protocol HistoryInsert<Model>: Sendable {
  associatedtype Model: PersistentModel
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// Names the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that it belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// Properties of a model got other values.
public protocol HistoryUpdate<Model>: Sendable {
  associatedtype Model: PersistentModel
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  typealias PropertyUpdate = PartialKeyPath<Self.Model> & Sendable

  /// Names the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that it belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties. Their values aren't kept; fetch the model for the present ones.
  var updatedAttributes: [any PartialKeyPath<Self.Model> & Sendable] { get }
}

/// A model was deleted.
public protocol HistoryDelete<Model>: Sendable {
  associatedtype Model: PersistentModel
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// Names the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that it belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// What is left of the model.
  var tombstone: HistoryTombstone<Model> { get }
}
