/// The way a save treats models whose rows have been changed since their values were read, by another context, another
/// process or another program. The counterparts of Core Data's `NSMergePolicy`.
///
/// Only models with changes of their own can be in conflict. To-many relationships are never in conflict: models that
/// one side adds or removes are added and removed, regardless of the other side's changes. Custom stores decide for
/// themselves. A model that was fetched with ``FetchDescriptor/propertiesToFetch``, and whose row was deleted before
/// its other properties were read, can't be restored: policies that would restore the row treat it as
/// ``deletionTrump`` does.
public enum MergePolicy: Hashable, Sendable {
  /// The default policy of a context. Properties that were changed here get this context's values, all others the
  /// store's. A row that was deleted stays deleted: the model's ``PersistentModel/isDeleted`` is true, and the
  /// `didSave` notification names it under ``ModelContext/NotificationKey/discardedIdentifiers``. A deletion is carried
  /// out.
  case deletionTrump
  /// The save throws a ``MergeConflictError`` that names each model, and writes nothing. The context keeps its
  /// changes; after ``ModelContext/rollback()`` a fetch brings the newer values.
  case error
  /// As ``deletionTrump``, but a row that was deleted is restored with the values that the model has here.
  case propertyObjectTrump
  /// Properties that others have changed keep the store's values, all others that were changed here are written. A row
  /// that was deleted stays deleted, and a deletion is carried out.
  case propertyStoreTrump
  /// The whole model is written as it is here. A row that was deleted is restored, and a deletion is carried out.
  case overwrite
  /// The changes of models in conflict are dropped: they take the store's values. A row that was deleted stays deleted,
  /// and a deletion is carried out.
  case rollback

  /// The name in Core Data.
  public static let mergeByPropertyObjectTrump = MergePolicy.propertyObjectTrump
  /// The name in Core Data.
  public static let mergeByPropertyStoreTrump = MergePolicy.propertyStoreTrump
}
