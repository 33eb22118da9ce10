import Foundation
import SwiftData

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

  func begin() throws -> Session {
    Session(try BatchUpsert(container, author: Self.author, keeping: kept))
  }

  func metadata(forKey key: String) throws -> Data? {
    try container.storeMetadata(forKey: key)
  }

  /// One batch: a write transaction on a connection of its own.
  struct Session: ImportSession {
    private let batch: BatchUpsert<Model>

    init(_ batch: BatchUpsert<Model>) { self.batch = batch }

    func upsert(_ model: Model) throws -> [Result<ImportOutcome, ImportRefusal>] {
      do { return try batch.add(model).map(Self.outcome) } catch let error as StoreError
        where Self.concernsTheModel(error)
      {
        throw ImportRefusal(reason: error.explanation)
      }
    }

    func finish() throws -> [Result<ImportOutcome, ImportRefusal>] {
      try batch.writeBuffered().map(Self.outcome)
    }

    private static func outcome(
      _ result: BatchUpsert<Model>.UpsertResult
    ) throws -> Result<ImportOutcome, ImportRefusal> {
      do {
        switch try result.get() {
        case .inserted: return .success(.inserted)
        case .updated: return .success(.updated)
        case .unchanged: return .success(.unchanged)
        }
      } catch let error as StoreError where concernsTheModel(error) {
        return .failure(ImportRefusal(reason: error.explanation))
      }
    }

    func setMetadata(_ value: Data?, forKey key: String) throws {
      try batch.setMetadata(value, forKey: key)
    }

    func commit() throws { try batch.commit() }

    func rollback() { batch.rollback() }

    /// Whether the batch can continue without the model.
    private static func concernsTheModel(_ error: StoreError) -> Bool {
      [.notUnique, .missingValue, .danglingReference].contains(error.code)
    }
  }
}
