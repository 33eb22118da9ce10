import Foundation

/// What became of an element in the store.
package enum ImportOutcome: Sendable {
  case inserted, updated, unchanged
}

/// A model that the store can't take, such as one that collides with two stored ones; the session
/// can go on without it.
package struct ImportRefusal: Error {
  let reason: String
}

/// One write transaction: all of it is committed, or nothing.
///
/// A session stays in the task that began it. One that goes away without a commit rolls back.
package protocol ImportSession {
  associatedtype Model
  /// Inserts the model, or updates the stored one with the same unique key: now, or together with
  /// those that follow.
  /// - Returns: What became of the models that are written now, in the order in which they came:
  ///   an ``ImportRefusal`` when only that model is concerned.
  /// - Throws: ``ImportRefusal`` when only this model is concerned, which isn't kept; any other
  ///   error ends the session.
  func upsert(_ model: Model) throws -> [Result<ImportOutcome, ImportRefusal>]
  /// Writes the models that wait for others.
  func finish() throws -> [Result<ImportOutcome, ImportRefusal>]
  /// Remembers facts about the copy in the same transaction; nil forgets them.
  func setMetadata(_ value: Data?, forKey key: String) throws
  func commit() throws
  func rollback()
}

/// Where the copy lives.
package protocol ImportStore<Model>: Sendable {
  associatedtype Model
  associatedtype Session: ImportSession where Session.Model == Model
  /// Begins a write transaction.
  func begin() throws -> Session
  /// The last committed facts.
  func metadata(forKey key: String) throws -> Data?
}
