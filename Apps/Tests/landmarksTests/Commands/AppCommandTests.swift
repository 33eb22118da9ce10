import Foundation
import Testing

@testable import ProgramTesting

@Suite("The page's program", .timeLimit(.minutes(5)))
struct AppCommandTests {
  @Test("two programs can't listen on one port, and the second reports it")
  func takenPort() async throws {
    let place = try Workplace()
    let server = try await place.serve()
    let port = try WireClient(server.address).port
    let second = try await place.program.run("app", "--port", "\(port)")
    #expect(second.code == 74 && second.errors.contains("cannot listen"))
    #expect(second.errors.contains("another program listens there already"))
    #expect(!second.errors.contains("errno"))
    try await server.stop()
  }
}
