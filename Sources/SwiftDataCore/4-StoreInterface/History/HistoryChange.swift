/// A transaction's change of one model.
public enum HistoryChange: Sendable {
  /// An inserted model.
  case insert(any HistoryInsert)
  /// A changed model.
  case update(any HistoryUpdate)
  /// A deleted model.
  case delete(any HistoryDelete)

  /// The model's identifier. After a deletion no model is found under it any more.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

/// An insertion of a model.
public protocol HistoryInsert<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type of the transaction's identifier.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the change's identifier.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The identifier of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A change of properties of a model.
public protocol HistoryUpdate<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type of the transaction's identifier.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the change's identifier.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// The key path of a changed property.
  typealias PropertyUpdate = PartialKeyPath<Self.Model> & Sendable

  /// The identifier of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The changed properties. Their values aren't kept; fetch the model for the present ones.
  var updatedAttributes: [any PartialKeyPath<Self.Model> & Sendable] { get }
}

/// A deletion of a model.
public protocol HistoryDelete<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// The type of the transaction's identifier.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the change's identifier.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The identifier of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change belongs to.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The preserved values of the model.
  var tombstone: HistoryTombstone<Model> { get }
}
