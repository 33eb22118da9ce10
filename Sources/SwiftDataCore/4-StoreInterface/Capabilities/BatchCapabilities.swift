import Foundation

/// A store that writes any number of rows without contexts: each batch is one transaction.
package protocol BatchWriting: RowStore {
  /// Begins a batch that writes models by their unique keys.
  ///
  /// - Parameter kept: The properties of which existing rows keep their own values, which aren't compared either.
  /// - Throws: ``StoreError`` when the store can't be written.
  func beginBatch<Model: PersistentModel>(
    of type: Model.Type, plan: EntityPlan, author: String?, keeping kept: [Int]
  ) throws -> any ModelBatch<Model>

  /// Deletes the rows that match a predicate, with what delete rules add.
  ///
  /// - Returns: The number of deleted rows.
  func delete<Model: PersistentModel>(
    _ model: Model.Type, _ predicate: Predicate<Model>?, includeSubclasses: Bool, author: String?,
    _ progress: ((Int) -> Void)?
  ) throws -> Int

  /// The value last committed under `key` with ``ModelBatch/setMetadata(_:forKey:)``.
  func metadata(forKey key: String) throws -> Data?

  /// Refuses writes of the calling thread until ``endBatchOnThread()``, where they would wait for its batch, and the
  /// batch for them.
  func beginBatchOnThread()
  func endBatchOnThread()
}

/// A transaction that writes models of one class by their unique keys. No model is registered or kept. One that is
/// released without ``commit()`` has no effect.
package protocol ModelBatch<Model>: AnyObject {
  associatedtype Model: PersistentModel

  /// The outcomes of the models that were written so far.
  var summary: WriteSummary { get }

  /// Writes one model.
  ///
  /// - Throws: ``StoreError`` when a value is missing or two stored rows would collide. The batch can continue without
  ///   the model.
  @discardableResult
  func upsert(_ model: Model) throws -> WriteOutcome

  /// Does the same, but may hold the model back to write it faster together with others.
  ///
  /// - Returns: The outcomes for the models written by this call, in the order in which they were added.
  /// - Throws: Errors that concern the model before it is written, or the whole batch.
  func add(_ model: Model) throws -> [WriteOutcome]

  /// Writes the models that are held back.
  func writeBuffered() throws -> [WriteOutcome]

  /// Stores a value under a key in the store, in this transaction; nil removes it.
  func setMetadata(_ value: Data?, forKey key: String) throws

  /// Waits for the other batches of this store that have called this, and makes later ones wait until this one ends.
  /// Nothing to do where a store has one writer at a time.
  ///
  /// - Throws: ``StoreError/Code/busy`` after ten seconds.
  func excludeOthers() throws

  /// Makes everything durable and ends the batch.
  @discardableResult
  func commit() throws -> WriteSummary

  /// Undoes everything and ends the batch.
  func rollback()
}

extension ModelBatch {
  /// Checks that all models to which a model leads are stored.
  ///
  /// - Parameter unresolved: Those that have no row.
  package func requireStored(
    _ unresolved: [(property: Int, destination: any PersistentModel)], of plan: EntityPlan
  ) throws {
    guard let (property, _) = unresolved.first else { return }
    throw SwiftDataError.missingModelContext.explained(
      "\(plan.name).\(plan.properties[property].name) leads to a model that isn't stored."
        + " Store the destination before the batch.")
  }
}
