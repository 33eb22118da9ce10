import Foundation
import SwiftDataCore

/// Writes any number of models by their unique keys in one transaction, without a context: no model is registered or
/// kept, so memory doesn't grow with the number of models.
///
/// The transaction has its own connection. Readers continue to see the state before it; other writers wait for it.
/// Nothing is stored until ``commit()`` returns, and an object that is released without it rolls back.
///
/// Don't `await` between the first call and ``commit()``: a save that waits for the transaction blocks its thread,
/// which may be the one on which the batch has to continue, such as that of the main actor. After ten seconds, the
/// save fails.
///
/// ```swift
/// let batch = try BatchUpsert<Quake>(container)
/// for feature in features { try batch.upsert(Quake(feature)) }
/// let summary = try batch.commit()
/// ```
///
/// An addition to Apple's interface; the counterpart in Core Data is `NSBatchInsertRequest`.
public final class BatchUpsert<Model: PersistentModel> {
  /// The outcome for one model.
  public enum Outcome: Sendable {
    /// There was no stored model with its unique values.
    case inserted
    /// The stored model with its unique values had other values and now has the new ones.
    case updated
    /// The stored model was already equal; nothing was written.
    case unchanged

    /// - Throws: The error of a refused row.
    init(_ outcome: WriteOutcome) throws {
      self =
        switch outcome {
        case .inserted: .inserted
        case .updated: .updated
        case .unchanged: .unchanged
        case .refused(let error): throw error
        }
    }
  }

  /// The number of models per outcome.
  public struct Summary: Sendable, Hashable {
    /// The number of inserted models.
    public fileprivate(set) var inserted = 0
    /// The number of models whose rows were changed.
    public fileprivate(set) var updated = 0
    /// The number of models whose rows had their values.
    public fileprivate(set) var unchanged = 0

    static func + (one: Summary, other: Summary) -> Summary {
      var sum = one
      sum.inserted += other.inserted
      sum.updated += other.updated
      sum.unchanged += other.unchanged
      return sum
    }

    init() {}

    init(_ summary: WriteSummary) {
      inserted = summary.inserted
      updated = summary.updated
      unchanged = summary.unchanged
    }
  }

  let transaction: any ModelBatch<Model>

  /// Begins the transaction.
  ///
  /// - Parameters:
  ///   - container: The container that stores the models.
  ///   - author: The author of the changes, for the store's history.
  ///   - keptProperties: Properties that the source of the data doesn't decide, such as a mark that the user sets: an
  ///     inserted row gets the model's values, an existing row keeps its own, and they don't count in the comparison of
  ///     the row.
  /// - Throws: ``SwiftDataError/unknownSchema`` for a class that the container doesn't have,
  ///   ``SwiftDataError/unsupportedKeyPath`` for a kept property that isn't stored or is unique, ``StoreError`` when
  ///   the store is read-only or stays locked by another writer for ten seconds.
  public init(
    _ container: ModelContainer, author: String? = nil,
    keeping keptProperties: [PartialKeyPath<Model>] = []
  ) throws {
    transaction = try container.beginBatch(
      of: Model.self, author: author, keeping: keptProperties)
  }

  /// Writes one model: a new row, an update of the row with the same unique values, or nothing when that row
  /// is equal.
  ///
  /// - Parameter model: A model that wasn't inserted into a context. It is read during the call and not kept. A context
  ///   into which its relationships have brought it, because they lead to models of this context, loses it again.
  /// - Throws: ``StoreError`` when a value is missing or two stored rows would collide;
  ///   ``SwiftDataError/modelValidationFailure`` for a model that was inserted into a context, and for a new one
  ///   with links that its row doesn't have, such as a list of models. The batch can continue without the model.
  @discardableResult
  public func upsert(_ model: Model) throws -> Outcome {
    try Outcome(transaction.upsert(model))
  }

  /// Stores a value under a key in the store, in this transaction; nil removes it. The toolkits store metadata that
  /// belongs to the data here, such as the validators of a download.
  public func setMetadata(_ value: Data?, forKey key: String) throws {
    try transaction.setMetadata(value, forKey: key)
  }

  /// Makes everything durable and ends the batch.
  @discardableResult
  public func commit() throws -> Summary {
    Summary(try transaction.commit())
  }

  /// Undoes everything and ends the batch.
  public func rollback() { transaction.rollback() }
}
