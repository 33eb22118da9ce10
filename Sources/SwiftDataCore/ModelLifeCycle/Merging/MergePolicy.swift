/// What a save does with models whose rows somebody else has changed since their values were read: another context,
/// another process, another program. The counterparts of Core Data's `NSMergePolicy`.
///
/// Only models with changes of their own can be in conflict. Relationships to many are never: what one side adds or
/// removes is added and removed, whatever the other did. Custom stores decide for themselves.
public enum MergePolicy: Hashable, Sendable {
  /// The policy of a context at first. Properties that were changed here get this context's values, all others the
  /// store's. A row that was deleted stays so: the model says ``PersistentModel/isDeleted``, and the `didSave`
  /// notification names it under ``ModelContext/NotificationKey/discardedIdentifiers``. A deletion is carried out.
  case deletionTrump
  /// The save throws a ``MergeConflictError`` that names each model, and writes nothing. The context keeps its
  /// changes; after ``ModelContext/rollback()`` a fetch brings the newer values.
  case error
  /// As ``deletionTrump``, but a row that was deleted comes back with the values that the model has here.
  case propertyObjectTrump
  /// Properties that somebody else has changed keep the store's values, all others that were changed here are
  /// written. A row that was deleted stays so, and a deletion is carried out.
  case propertyStoreTrump
  /// The whole model is written as it is here. A row that was deleted comes back, and a deletion is carried out.
  case overwrite
  /// The changes of models in conflict are dropped: they take the store's values. A row that was deleted stays so, and
  /// a deletion is carried out.
  case rollback

  /// The name in Core Data.
  public static let mergeByPropertyObjectTrump = MergePolicy.propertyObjectTrump
  /// The name in Core Data.
  public static let mergeByPropertyStoreTrump = MergePolicy.propertyStoreTrump
}
