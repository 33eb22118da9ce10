/// Runs a server until a closure that uses it returns.
///
/// - Parameters:
///   - run: Serves until its task is cancelled. When it listens, it calls its argument with the place: a port or an
///     address.
///   - body: Called with the place.
/// - Throws: The first error, whether the server's or the closure's.
package func withListening<Place: Sendable, Result: Sendable>(
  _ run: @escaping @Sendable (@escaping @Sendable (Place) async -> Void) async throws -> Void,
  _ body: @escaping @Sendable (Place) async throws -> Result
) async throws -> Result {
  let (places, ready) = AsyncStream.makeStream(of: Place.self)
  return try await withThrowingTaskGroup(of: Result?.self) { group in
    group.addTask {
      defer { ready.finish() }
      try await run { ready.yield($0) }
      return nil
    }
    group.addTask {
      for await place in places { return try await body(place) }
      return nil
    }
    defer { group.cancelAll() }
    while let outcome = try await group.next() {
      if let result = outcome { return result }
    }
    throw NotListening()
  }
}

private struct NotListening: Error, CustomStringConvertible {
  let description = "the server ended before it listened"
}
