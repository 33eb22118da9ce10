import Foundation
import Testing

@testable import ProgramTesting

@Suite("The page's program", .timeLimit(.minutes(20)))
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

  @Test("a wrong clock is told at the start, and a page that shows two devices starts")
  func clockAndFrames() async throws {
    let place = try Workplace()
    let app = try await place.program.serve([
      "app", "--port", "0", "--clock", "-2d", "--framed-by", "http://127.0.0.1:8093",
    ])
    let answer = try await WireClient(app.address).request("GET", "/")
    #expect(answer["Content-Security-Policy"]?.contains("http://127.0.0.1:8093") == true)
    let beside = try await place.program.serve([
      "beside", "--port", "0", app.address, "http://127.0.0.1:1",
    ])
    #expect(try await WireClient(beside.address).request("GET", "/").text.contains(app.address))
    #expect(try await beside.stop() == 0)
    #expect(try await app.stop() == 0)
    for arguments in [
      ["app", "--clock", "tomorrow"], ["app", "--framed-by", "*"], ["beside", app.address],
      ["beside", app.address, app.address], ["beside", app.address, "file:///"],
      ["serve", "--faults", "30:late"],
    ] {
      let outcome = try await place.program.run(arguments: arguments)
      #expect(outcome.code == 64 && outcome.output.isEmpty, "\(arguments): \(outcome)")
    }
  }
}
