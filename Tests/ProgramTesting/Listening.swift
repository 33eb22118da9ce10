import TestSupport

/// Runs a server until a closure that sends it requests returns.
///
/// - Parameters:
///   - run: Serves until its task is cancelled. When it listens, it calls its argument with its address.
///   - body: Called with a client of the server.
package func withWireClient<Result: Sendable>(
  _ run: @escaping @Sendable (@escaping @Sendable (String) async -> Void) async throws -> Void,
  _ body: @escaping @Sendable (WireClient) async throws -> Result
) async throws -> Result {
  try await withListening(run) { try await body(WireClient($0)) }
}
