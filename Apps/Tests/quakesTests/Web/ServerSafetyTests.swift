import Foundation
import Testing

@testable import ProgramTesting
@testable import quakes

@Suite("The web server under attack", .timeLimit(.minutes(20)))
struct ServerSafetyTests {
  static let everyTarget = [
    "/", "/api/status", "/api/config", "/api/events", "/api/events/none", "/nothing",
    "/api/events?limit=0",
  ]

  @Test("Every answer, refusals too, carries the security headers")
  func headers() async throws {
    try await withServer { client in
      for target in Self.everyTarget {
        let response = try await client.request("GET", target)
        let policy = try #require(response["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
        #expect(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"))
        #expect(response["X-Content-Type-Options"] == "nosniff")
        #expect(response["Referrer-Policy"] == "no-referrer")
        #expect(response["Cross-Origin-Opener-Policy"] == "same-origin")
        #expect(response["Cross-Origin-Resource-Policy"] == "same-origin")
        #expect(
          response["Permissions-Policy"] == "geolocation=(self), camera=(), microphone=()")
        #expect(response["Access-Control-Allow-Origin"] == nil)
      }
    }
  }

  @Test("An online tile style opens its origin and no other")
  func tileStyle() async throws {
    try await withServer { settings in
      settings.tileStyle = URL(string: "https://tiles.example.org:8443/style.json?key=a;b")
    } _: { client in
      let response = try await client.request("GET", "/api/config")
      let policy = try #require(response["Content-Security-Policy"])
      #expect(policy.contains("connect-src 'self' https://tiles.example.org:8443;"))
      #expect(policy.contains("img-src 'self' data: blob: https://tiles.example.org:8443;"))
      #expect(policy.contains("script-src 'self';"))
      #expect(try response.text.contains(#""tileStyle":"https://tiles.example.org:8443/style"#))
    }
  }

  @Test(
    "No path leaves the page's files",
    arguments: [
      "/../Package.swift", "/..%2fPackage.swift", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
      "/web/index.html", "/vendor/../web/index.html", "/vendor/", "/js/", "/.", "/..",
      "/index.html%00.js", "/vendor/README.md", "/./index.html", "/\\..\\x", "/js/%2e%2e/app.css",
    ])
  func traversal(target: String) async throws {
    try await withServer { client in
      let response = try await client.request("GET", target)
      #expect(response.status == 404 || response.status == 400)
      #expect(try !response.text.contains("root:"))
    }
  }

  @Test(
    "Names that are not this machine's are refused with 421",
    arguments: [
      "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "[::2]",
      "localhost:80:80", "local host", "0x7f000001", "[::1", "127.0.0.1@evil.example",
    ])
  func wrongHosts(host: String) async throws {
    try await withServer { client in
      for target in ["/", "/api/events", "/api/stream"] {
        let response = try await client.request("GET", target, host: host)
        #expect(response.status == 421 || response.status == 400)
        #expect(try !response.text.contains("\"events\""))
      }
    }
  }

  @Test(
    "Loopback's names and addresses are answered",
    arguments: [
      "localhost", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:80", "[::1]:8080", "localhost.",
    ])
  func rightHosts(host: String) async throws {
    try await withServer { client in
      let response = try await client.request("GET", "/api/status", host: host)
      #expect(response.status == 200)
    }
  }

  @Test("Other methods are refused with the ones that work")
  func methods() async throws {
    try await withServer { client in
      for (target, allowed) in [
        ("/", "GET, HEAD"), ("/api/events", "GET, HEAD"), ("/api/events/nc1", "GET, HEAD"),
        ("/api/status", "GET, HEAD"), ("/api/config", "GET, HEAD"), ("/api/stream", "GET"),
        ("/api/refresh", "POST, DELETE"), ("/api/backfill", "POST, DELETE"),
      ] {
        for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"]
        where !allowed.contains(method) {
          let response = try await client.request(method, target)
          #expect(response.status == 405)
          #expect(response["Allow"] == allowed)
        }
      }
      let head = try await client.request("HEAD", "/api/events")
      #expect(head.status == 200 && head.body.isEmpty && head["ETag"] != nil)
    }
  }

  @Test("A refresh needs the header that other sites cannot send")
  func refreshHeader() async throws {
    let source = FakeSource()
    try await withServer(source) { client in
      #expect(try await client.request("POST", "/api/refresh").status == 403)
      let wrong = [("X-Requested-With", "XMLHttpRequest")]
      #expect(try await client.request("POST", "/api/refresh", headers: wrong).status == 403)
      #expect(try await client.request("GET", "/api/refresh").status == 405)
      #expect(await source.refreshes == 0)
      let right = [("X-Requested-With", "quakes")]
      let response = try await client.request("POST", "/api/refresh", headers: right)
      #expect(try response.status == 202 && response.text.contains(#""state":"empty""#))
      #expect(await source.refreshes == 1)
      #expect(try await client.request("DELETE", "/api/refresh").status == 403)
      #expect(await source.stops == 0)
      #expect(try await client.request("DELETE", "/api/refresh", headers: right).status == 202)
      #expect(await source.stops == 1)
      #expect(await source.refreshes == 1)
    }
  }

  @Test("Request text never becomes response headers")
  func headerInjection() async throws {
    try await withServer { client in
      for target in [
        "/%0d%0aSet-Cookie:%20a=b", "/api/events/%0d%0aX-Evil:1", "/api/events?x=%0d%0aX:1",
      ] {
        let response = try await client.request("GET", target)
        #expect(response.status == 404 || response.status == 400)
        #expect(response["Set-Cookie"] == nil && response["X-Evil"] == nil && response["X"] == nil)
      }
      let answer = try await client.exchange(
        "GET /api/status HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\nConnection: close\r\n\r\n")
      #expect(!String(decoding: answer, as: UTF8.self).contains(" 200 "))
    }
  }

  @Test("Heads that are too large or malformed are refused, and the server continues")
  func hugeHeads() async throws {
    try await withServer { client in
      let long = String(repeating: "a", count: 20_000)
      let many = (0..<200).map { "X-\($0): 1" }.joined(separator: "\r\n")
      for text in [
        "GET /api/status HTTP/1.1\r\nHost: localhost\r\nX: \(long)\r\n\r\n",
        "GET /api/status HTTP/1.1\r\nHost: localhost\r\n\(many)\r\n\r\n",
        "GET /\(long) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "\u{16}\u{3}\u{1}not http\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
      ] {
        let answer = String(decoding: try await client.exchange(text), as: UTF8.self)
        #expect(!answer.hasPrefix("HTTP/1.1 2"))
      }
      #expect(try await client.request("GET", "/api/status").status == 200)
    }
  }

  @Test("The page is served with its type, a tag and compression")
  func page() async throws {
    try await withServer { client in
      let page = try await client.request("GET", "/")
      #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8")
      let tag = try #require(page["ETag"])
      #expect(!tag.hasPrefix("W/"))
      let again = try await client.request("GET", "/", headers: [("If-None-Match", tag)])
      #expect(again.status == 304)
      // With separate modules, whatever the page at / has.
      let separate = try await client.request("GET", "/index.html").text
      #expect(separate.contains("<title>Quakes</title>") && separate.contains("\"/js/main.js\""))
      #expect(try page.text.contains("<title>Quakes</title>"))
    }
  }
}
