import Foundation
import SwiftData
import SwiftDataCore

/// A model container as the store of a copy.
struct ModelStore<Model: PersistentModel>: ImportStore {
  /// The author of the transactions in the store's history.
  static var author: String { "import" }

  private let container: ModelContainer

  private let kept: [any PartialKeyPath<Model> & Sendable]

  init(_ container: ModelContainer, keeping kept: [any PartialKeyPath<Model> & Sendable] = []) {
    self.container = container
    self.kept = kept
  }

  /// Checks that elements can be matched with stored models: every refresh would add all of them again.
  /// - Throws: ``LocalCopyError`` with the code `modelNotUnique`.
  static func requireUnique(in container: ModelContainer) throws {
    let core = container.core
    // A superclass may have the unique attribute.
    guard let plan = core.plan(of: Model.self),
      core.plans.allSatisfy({ $0.table != plan.table || $0.uniqueness.isEmpty })
    else { return }
    throw LocalCopyError(
      .modelNotUnique,
      reason:
        "\(plan.name) has no unique attribute, by which elements and stored models are matched",
      advice: "Declare one with @Attribute(.unique) or #Unique.")
  }

  func begin() throws -> Session {
    let batch = try container.beginBatch(of: Model.self, author: Self.author, keeping: kept)
    // What an import reads before its commit must not be changed by another one.
    try batch.excludeOthers()
    return try Session(batch, in: store)
  }

  func metadata(forKey key: String) throws -> Data? {
    // Not of the container's first store that has one: a store that had the model before still has its record.
    guard container.core.plan(of: Model.self) != nil else { return nil }
    return try store?.metadata(forKey: key)
  }

  private var store: (any BatchWriting)? {
    get throws { try container.core.entry(for: Model.self).store as? any BatchWriting }
  }

  /// One batch: a write transaction on a connection of its own.
  struct Session: ImportSession {
    private let batch: any ModelBatch<Model>
    private let store: (any BatchWriting)?

    init(_ batch: any ModelBatch<Model>, in store: (any BatchWriting)?) {
      self.batch = batch
      self.store = store
    }

    func calling<Result>(_ code: () throws -> Result) rethrows -> Result {
      store?.beginBatchOnThread()
      defer { store?.endBatchOnThread() }
      return try code()
    }

    func upsert(_ model: Model) throws -> [WriteOutcome] {
      let written: [WriteOutcome]
      do { written = try batch.add(model) } catch let error as StoreError where error.concernsRow {
        throw ImportRefusal(reason: error.explanation)
      }
      return try Self.refusing(written)
    }

    func finish() throws -> [WriteOutcome] {
      try Self.refusing(batch.writeBuffered())
    }

    /// Turns the errors of models that were refused into ``ImportRefusal``.
    /// - Throws: The first error that concerns the whole batch.
    private static func refusing(_ written: [WriteOutcome]) throws -> [WriteOutcome] {
      var written = written
      for index in written.indices {
        guard case .refused(let error) = written[index] else { continue }
        guard let error = error as? StoreError, error.concernsRow else { throw error }
        written[index] = .refused(ImportRefusal(reason: error.explanation))
      }
      return written
    }

    func setMetadata(_ value: Data?, forKey key: String) throws {
      try batch.setMetadata(value, forKey: key)
    }

    func commit() throws { try batch.commit() }

    func rollback() { batch.rollback() }
  }
}
