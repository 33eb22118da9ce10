import Foundation
import SwiftData

/// The rejection of a model that the store can't accept, such as one that conflicts with two stored
/// models; the session can continue without it.
package struct ImportRefusal: Error, CustomStringConvertible {
  let reason: String

  package var description: String { reason }
}

/// One write transaction: it is committed completely or not at all.
///
/// A session stays in the task that began it. A session that is released without a commit rolls
/// back.
package protocol ImportSession {
  associatedtype Model
  /// Inserts the model, or updates the stored model with the same unique key: immediately, or later
  /// together with further models.
  /// - Returns: The outcomes of the models that are written now, in the order in which they were
  ///   added; the error of a refused model, which concerns only that model, is an ``ImportRefusal``.
  /// - Throws: ``ImportRefusal`` when the error concerns only this model, which isn't stored; any
  ///   other error ends the session.
  func upsert(_ model: Model) throws -> [WriteOutcome]
  /// Writes the models that were held back.
  func finish() throws -> [WriteOutcome]
  /// Calls code of the program, which must not write to the store meanwhile: it would wait for this session.
  func calling<Result>(_ code: () throws -> Result) rethrows -> Result
  /// Stores metadata of the copy in the same transaction; nil deletes them.
  func setMetadata(_ value: Data?, forKey key: String) throws
  func commit() throws
  func rollback()
}

extension ImportSession {
  package func calling<Result>(_ code: () throws -> Result) rethrows -> Result { try code() }
}

/// The store of the copy.
package protocol ImportStore<Model>: Sendable {
  associatedtype Model
  associatedtype Session: ImportSession where Session.Model == Model
  /// Begins a write transaction.
  func begin() throws -> Session
  /// Returns the last committed metadata.
  func metadata(forKey key: String) throws -> Data?
}
