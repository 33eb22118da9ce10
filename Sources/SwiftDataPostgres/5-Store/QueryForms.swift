import SwiftDataCore
import SwiftDataSQL
import Synchronization

/// A translated request without the values of its parameters.
struct QueryForm: Sendable {
  let queries: EntityQueries
  /// The SQL from `WHERE` on, with `?` for parameters.
  let source: String
  /// The whole statement for the rows.
  let text: String
  /// The largest number of rows; nil for any.
  let limit: Int?
  /// The types of the parameters that the server has inferred; nil when it wasn't asked.
  var types: [PostgresType]?
}

/// The translated forms of requests, by the shape of the request.
final class QueryForms: Sendable {
  /// A limit, because programs that fetch with ever new key paths or limits must not grow the cache.
  private static let maximumCount = 256

  private struct Entry: @unchecked Sendable {
    // Unchecked: key paths made by the compiler capture nothing, but `AnyKeyPath` isn't Sendable.
    let form: QueryForm
    let keyPaths: [AnyKeyPath]
  }

  private let entries = Mutex<[[UInt]: Entry]>([:])

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
}
