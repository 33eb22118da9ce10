import Foundation

/// A deletion of all models of a class that match a predicate, to be carried out by a store.
package protocol BatchDeletion<Model> {
  associatedtype Model: PersistentModel
  /// The models to delete; nil means all.
  var predicate: Predicate<Model>? { get }
  /// Whether models of subclasses are deleted too.
  var includeSubclasses: Bool { get }
}

extension BatchDeletion {
  package var type: any PersistentModel.Type { Model.self }
}

struct PredicateDeletion<Model: PersistentModel>: BatchDeletion {
  let predicate: Predicate<Model>?
  let includeSubclasses: Bool
}
