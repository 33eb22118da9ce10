import Foundation
import Logging

@testable import quakes

/// Runs the real server on a free loopback port during a test.
func withServer<Result: Sendable>(
  _ source: any QuakeSource = FakeSource(FakeSource.events(30)),
  change: (inout WebServer.Settings) -> Void = { _ in },
  _ body: @escaping @Sendable (WireClient) async throws -> Result
) async throws -> Result {
  var settings = WebServer.Settings()
  settings.port = 0
  change(&settings)
  let server = try WebServer(
    settings, source: source, files: StaticFiles.bundled(), logger: silentLogger)
  let (addresses, ready) = AsyncStream.makeStream(of: String.self)
  return try await withThrowingTaskGroup(of: Result?.self) { group in
    group.addTask {
      defer { ready.finish() }
      try await server.run { ready.yield($0) }
      return nil
    }
    group.addTask {
      for await address in addresses { return try await body(WireClient(address)) }
      return nil
    }
    defer { group.cancelAll() }
    while let outcome = try await group.next() {
      if let result = outcome { return result }
    }
    throw WireError(reason: "the server ended before it listened")
  }
}

var silentLogger: Logger {
  Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
