import Foundation

/// A deletion of all models of a class that match a predicate, to be carried out by a store.
package protocol BatchDeletion<Model>: AnyObject {
  associatedtype Model: PersistentModel
  /// The models to delete; nil means all.
  var predicate: Predicate<Model>? { get }
  /// Whether models of subclasses are deleted too.
  var includeSubclasses: Bool { get }
}

extension BatchDeletion {
  package var type: any PersistentModel.Type { Model.self }
}

final class PredicateDeletion<Model: PersistentModel>: BatchDeletion {
  let predicate: Predicate<Model>?
  let includeSubclasses: Bool

  init(predicate: Predicate<Model>?, includeSubclasses: Bool) {
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
  }
}

/// A custom store refuses a deletion by predicate, before it has changed anything for it. The context finds the models
/// and deletes each, as it does for stores without such deletions.
struct RefusedBatchDeletion: Error {
  let deletion: ObjectIdentifier
  let error: DataStoreError
}
