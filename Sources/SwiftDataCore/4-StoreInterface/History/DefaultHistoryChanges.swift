/// An insertion of a model into a default store.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
  public typealias TransactionIdentifier = Int64
  public typealias ChangeIdentifier = Int64

  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier

  package init(_ fields: HistoryChangeFields) {
    changeIdentifier = fields.changeIdentifier
    transactionIdentifier = fields.transactionIdentifier
    changedPersistentIdentifier = fields.changedPersistentIdentifier
  }

  /// Compares the changes by transaction and change.
  public static func == (lhs: DefaultHistoryInsert, rhs: DefaultHistoryInsert) -> Bool {
    lhs.changeIdentifier == rhs.changeIdentifier
      && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
  }

  /// Hashes the identifiers of transaction and change.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

/// A change of properties of a model in a default store.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
  public typealias TransactionIdentifier = Int64
  public typealias ChangeIdentifier = Int64
  /// The key path of a changed property.
  public typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties, in the order in which the model declares them.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]

  package init(
    _ fields: HistoryChangeFields, updatedAttributes: [any PartialKeyPath<Model> & Sendable]
  ) {
    changeIdentifier = fields.changeIdentifier
    transactionIdentifier = fields.transactionIdentifier
    changedPersistentIdentifier = fields.changedPersistentIdentifier
    self.updatedAttributes = updatedAttributes
  }
}

/// A deletion of a model from a default store.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
  public typealias TransactionIdentifier = Int64
  public typealias ChangeIdentifier = Int64

  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The preserved values of the model.
  public let tombstone: HistoryTombstone<Model>

  package init(_ fields: HistoryChangeFields, tombstone: HistoryTombstone<Model>) {
    changeIdentifier = fields.changeIdentifier
    transactionIdentifier = fields.transactionIdentifier
    changedPersistentIdentifier = fields.changedPersistentIdentifier
    self.tombstone = tombstone
  }
}

/// The fields that every kind of change has.
package struct HistoryChangeFields: Sendable {
  package let changeIdentifier: Int64
  package let transactionIdentifier: Int64
  package let changedPersistentIdentifier: PersistentIdentifier

  package init(
    changeIdentifier: Int64, transactionIdentifier: Int64,
    changedPersistentIdentifier: PersistentIdentifier
  ) {
    self.changeIdentifier = changeIdentifier
    self.transactionIdentifier = transactionIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
  }
}
