import SwiftDataCore
import SwiftDataSQL
import Synchronization

/// The translated forms of requests, by the shape of the request.
final class QueryCache: Sendable {
  /// A limit, because programs that fetch with ever new key paths or limits must not grow the
  /// cache.
  private static let maximumCount = 256

  private struct Entry: @unchecked Sendable {
    // Unchecked: key paths made by the compiler capture nothing, but `AnyKeyPath` isn't Sendable.
    let form: QueryForm
    let keyPaths: [AnyKeyPath]
  }

  private let entries = Mutex<[[UInt]: Entry]>([:])
  /// The statements that read entities as values, by their statements, built on first use.
  private let snapshots = Mutex<[ObjectIdentifier: SnapshotStatements]>([:])

  subscript(shape: QueryShape) -> QueryForm? {
    let words = shape.words
    return entries.withLock { $0[words]?.form }
  }

  func insert(_ form: QueryForm, for shape: QueryShape) {
    let words = shape.words
    let entry = Entry(form: form, keyPaths: shape.keyPaths)
    entries.withLock { entries in
      if entries.count >= Self.maximumCount { entries.removeAll() }
      entries[words] = entry
    }
  }

  /// Returns the statements that read an entity as values.
  ///
  /// - Parameter plans: The store's plans by model type.
  func snapshotStatements(
    _ statements: EntityStatements, plans: [ObjectIdentifier: EntityPlan]
  ) -> SnapshotStatements {
    snapshots.withLock { made in
      if let found = made[ObjectIdentifier(statements)] { return found }
      let new = SnapshotStatements(statements, plans: plans)
      made[ObjectIdentifier(statements)] = new
      return new
    }
  }

  /// The number of cached forms.
  var count: Int { entries.withLock { $0.count } }
}
