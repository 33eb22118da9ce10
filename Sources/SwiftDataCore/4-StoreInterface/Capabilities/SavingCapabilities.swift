/// A store whose saves carry out ``StoreChanges/batchDeletions``. For any other store a context loads the models and
/// deletes each.
package protocol PredicateDeleting: RowStore {}

/// A store whose save can pause between writing and committing, so that saves of other stores can run in between.
package protocol PreparedSaving: RowStore {
  /// The identifier under which other stores record that they were saved together with this one; nil for a store that
  /// keeps no such records.
  var jointSaveIdentifier: String? { get }
}
