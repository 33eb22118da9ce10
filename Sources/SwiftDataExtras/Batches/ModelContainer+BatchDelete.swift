import Foundation
import SwiftDataCore

extension ModelContainer {
  /// Deletes all models of a class that match a predicate, immediately and without loading them.
  ///
  /// Delete rules apply as for ``ModelContext/delete(model:where:includeSubclasses:)``, which does the same at the next
  /// save. Contexts and observers are notified of the commit as of any other, and it is in the history. An addition to
  /// Apple's interface; the counterpart in Core Data is `NSBatchDeleteRequest`.
  ///
  /// - Parameters:
  ///   - model: The class.
  ///   - predicate: The condition on the stored models; nil means all models.
  ///   - includeSubclasses: Whether models of subclasses are deleted too.
  ///   - author: The author of the changes, for the history.
  ///   - progress: Called now and then with the number of models deleted or changed by delete rules so far.
  /// - Returns: The number of deleted models, including those deleted by delete rules.
  /// - Throws: ``SwiftDataError/unknownSchema`` for a class that the container doesn't have, ``StoreError`` when a
  ///   delete rule denies it or the store can't be written, `CancellationError` when the task is cancelled. Nothing is
  ///   deleted then.
  @discardableResult
  public func batchDelete<Model: PersistentModel>(
    _ model: Model.Type, where predicate: Predicate<Model>? = nil, includeSubclasses: Bool = true,
    author: String? = nil, progress: ((Int) -> Void)? = nil
  ) throws -> Int {
    let entry = try core.entry(for: model)
    if let store = entry.store as? any BatchWriting {
      return try store.delete(
        model, predicate, includeSubclasses: includeSubclasses, author: author, progress)
    }
    let context = ModelContext(self)
    context.author = author
    try context.delete(model: model, where: predicate, includeSubclasses: includeSubclasses)
    return try context.saveChanges().deleted.count
  }
}
