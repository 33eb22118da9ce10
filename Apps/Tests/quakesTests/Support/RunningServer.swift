import Foundation
import Logging

@testable import ProgramTesting
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
  return try await withWireClient({ try await server.run(onListening: $0) }, body)
}

var silentLogger: Logger {
  Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
