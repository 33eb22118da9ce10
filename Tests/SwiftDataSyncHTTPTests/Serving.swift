import Foundation
import Hummingbird
import Logging
import TestSupport
import Testing

/// Runs a server with the router's operations on a free loopback port during a test.
func serving(
  _ router: Router<BasicRequestContext>, _ body: @escaping @Sendable (URL) async throws -> Void
) async throws {
  var logger = Logger(label: "test")
  logger.logLevel = .critical
  let responder = router.buildResponder()
  try await withListening { [logger] started in
    let application = Application(
      responder: responder, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { await started($0.localAddress?.port ?? 0) }, logger: logger)
    try await application.run()
  } _: { port in
    try await body(try #require(URL(string: "http://127.0.0.1:\(port)")))
  }
}
