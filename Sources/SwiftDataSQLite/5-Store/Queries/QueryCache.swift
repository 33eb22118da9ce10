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

  private struct Entries: Sendable {
    var forms: [[UInt]: Entry] = [:]
    /// The entry that was found last: loops fetch by one shape, and comparing takes less than hashing.
    var last: (words: [UInt], form: QueryForm)?
  }

  private let entries = Mutex(Entries())
  /// The statements that read entities as values, by their statements, built on first use.
  private let snapshots = Mutex<[ObjectIdentifier: SnapshotStatements]>([:])

  subscript(shape: QueryShape) -> QueryForm? {
    let words = shape.words
    return entries.withLock { entries in
      if let last = entries.last, last.words == words { return last.form }
      guard let form = entries.forms[words]?.form else { return nil }
      entries.last = (words, form)
      return form
    }
  }

  func insert(_ form: QueryForm, for shape: QueryShape) {
    let words = shape.words
    let entry = Entry(form: form, keyPaths: shape.keyPaths)
    entries.withLock { entries in
      if entries.forms.count >= Self.maximumCount { entries = Entries() }
      entries.forms[words] = entry
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
  var count: Int { entries.withLock { $0.forms.count } }
}
