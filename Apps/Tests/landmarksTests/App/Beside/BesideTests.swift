import Foundation
import LocalApp
import Testing

@testable import ProgramTesting
@testable import landmarks

@Suite("Two pages side by side", .timeLimit(.minutes(20)))
struct BesideTests {
  private func beside<Result: Sendable>(
    _ body: @escaping @Sendable (WireClient) async throws -> Result
  ) async throws -> Result {
    let server = BesideServer(
      place: LocalServer.Settings(port: 0),
      devices: try ["http://127.0.0.1:8091", "http://127.0.0.1:8092/"].map(PageOrigin.init(text:)),
      logger: silentLogger)
    return try await withWireClient({ try await server.run(onListening: $0) }, body)
  }

  @Test("the page has both, may show these only, and is shown by none")
  func page() async throws {
    try await beside { client async throws in
      let answer = try await client.request("GET", "/")
      let text = try answer.text
      #expect(answer.status == 200)
      for device in ["http://127.0.0.1:8091", "http://127.0.0.1:8092"] {
        #expect(text.contains(#"<iframe src="\#(device)/" title="The "#))
        #expect(text.contains(#"<a href="\#(device)" rel="noreferrer">\#(device)</a>"#))
      }
      let policy = try #require(answer["Content-Security-Policy"])
      #expect(policy.contains("frame-src http://127.0.0.1:8091 http://127.0.0.1:8092"))
      #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
      #expect(policy.contains("default-src 'none'"))
      #expect(!text.contains("<script") && !text.contains("style="))
      #expect(try await client.request("GET", "/beside.css").status == 200)
      #expect(try await client.request("GET", "/nothing").status == 404)
      #expect(try await client.request("POST", "/").status == 405)
      let rebound = try await client.request("GET", "/", host: "evil.example")
      #expect(rebound.status == 421)
    }
  }

  @Test("a device's page is shown in a frame of the page that it is told, and of no other")
  func frames() async throws {
    let server = try #require(URL(string: "http://127.0.0.1:1"))
    for (framedBy, ancestors) in [
      (nil, "frame-ancestors 'none'"),
      (try PageOrigin(text: "http://127.0.0.1:8093"), "frame-ancestors http://127.0.0.1:8093"),
    ] {
      let app = AppServer(
        place: LocalServer.Settings(port: 0),
        source: try AppSource(deviceStore(), server: server, token: alice),
        files: try .bundledWithPage(), every: .seconds(3_600), framedBy: framedBy,
        logger: silentLogger)
      try await withWireClient({ try await app.run(onListening: $0) }) { client async throws in
        for target in ["/", "/api/state", "/nothing"] {
          let policy = try await client.request("GET", target)["Content-Security-Policy"]
          #expect(policy?.hasSuffix(ancestors) == true, "\(target): \(policy ?? "none")")
        }
      }
    }
  }

  @Test(
    "addresses that are no page's are refused",
    arguments: [
      "", "127.0.0.1:8091", "ftp://a.example", "http://", "http://a b", "http://a.example/path",
      "http://a.example?x", "http://a.example/#x", "http://user@a.example", "http://a.example;x",
      "http://a.example'", "http://*", "http://a.example,http://b.example", "javascript:alert(1)",
      "http://<b>", "'self'", "*",
    ])
  func refused(text: String) {
    #expect(throws: (any Error).self) { try PageOrigin(text: text) }
  }
}
