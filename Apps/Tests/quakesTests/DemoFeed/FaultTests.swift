import DemoFeed
import Foundation
import Testing
import WireFormats

@testable import ProgramTesting

@Suite("The demo feed's faults", .timeLimit(.minutes(20)))
struct FaultTests {
  private func response(
    _ fault: Fault, gzip: Bool = false,
    change: (inout DemoFeedServer.Settings) -> Void = { _ in }
  ) async throws -> WireResponse {
    var settings = DemoFeedServerTests.settings
    settings.fault = fault
    change(&settings)
    return try await DemoFeedServer(settings).whileRunning { base in
      try await WireClient(base).request(
        "GET", DemoFeedServerTests.day,
        headers: gzip ? [("Accept-Encoding", "gzip")] : [])
    }
  }

  @Test("Truncated: the connection ends before the body does", arguments: [false, true])
  func truncated(gzip: Bool) async throws {
    let response = try await response(.truncated, gzip: gzip)
    #expect(response.status == 200)
    #expect(!response.isComplete && !response.body.isEmpty)
  }

  @Test("Bad gzip: the header is gzip's, the rest is not")
  func badGzip() async throws {
    let response = try await response(.badGzip)
    #expect(response["Content-Encoding"] == "gzip" && response.isComplete)
    #expect(GzipDecoder.isGzip(response.body))
    #expect(throws: CompressionError.self) { try response.text }
  }

  @Test("Malformed: complete, but not JSON")
  func malformed() async throws {
    let response = try await response(.malformed)
    #expect(response.isComplete)
    #expect(throws: (any Error).self) { try FeedJSON(response.text) }
  }

  @Test("Malformed feature: JSON, with one feature that is none")
  func malformedFeature() async throws {
    let document = try FeedJSON(try await response(.malformedFeature).text)
    #expect(document.features.count == document.count)
    #expect(document.ids.count == document.features.count - 1)
  }

  @Test("HTML: 200 with a web page")
  func html() async throws {
    let response = try await response(.html)
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "text/html; charset=utf-8")
  }

  @Test("Slow drip: the whole document, a few bytes at a time")
  func slowDrip() async throws {
    let whole = try await response(.none)
    let dripped = try await response(.slowDrip) { settings in
      settings.dripInterval = .microseconds(10)
      settings.dripSize = 4_096
    }
    // The addresses of details are those of each server.
    let port = /127\.0\.0\.1:\d+/
    #expect(
      try dripped.text.replacing(port, with: "") == whole.text.replacing(port, with: ""))
  }

  @Test("Timeout: no answer, and the server still ends at once")
  func timeout() async throws {
    var settings = DemoFeedServerTests.settings
    settings.fault = .timeout
    let server = DemoFeedServer(settings)
    try await server.whileRunning { base in
      try await WireClient(base).connected { connection in
        try await connection.send(
          "GET \(DemoFeedServerTests.day) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        while await server.world.state.requests == 0 { await Task.yield() }
      }
    }
    #expect(await server.world.state.requests == 1)
  }
}
