import Foundation
import SwiftDataCore

/// The explanation of a fetch. An addition to Apple's interface.
///
///     print(try context.explain(FetchDescriptor<Quake>(predicate: #Predicate { $0.magnitude > 5 })))
///
///     Quake in the store default
///       SELECT t0."_id", t0."code", … FROM "Quake" AS t0 WHERE (t0."magnitude" > ?)
///       1: 5.0
///     SQLite's plan
///       SCAN t0
///     Every row of Quake is read: no index serves the query.
extension ModelContext {
  /// Explains how ``fetch(_:)`` would answer `descriptor` now: the statement, the indices it uses, and the work that is
  /// left to memory. No model is fetched.
  ///
  /// - Throws: The errors of ``fetch(_:)`` for a descriptor that can't be used.
  public func explain<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> FetchExplanation {
    let fetch = try explainedFetch(descriptor)
    return FetchExplanation(
      fetch, isSorted: !descriptor.sortBy.isEmpty,
      isCut: descriptor.fetchLimit ?? 0 > 0 || descriptor.fetchOffset ?? 0 > 0)
  }
}
