import Foundation
import Testing

@testable import LocalCopy

@Suite("The rules of HTTP: dates, caching, redirects")
struct HTTPRulesTests {
  static let received = Date(timeIntervalSince1970: 1_746_366_775)

  @Test(
    "Dates in the three forms of RFC 9110",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Fri, 31 Dec 1999 23:59:60 GMT", 946_684_800),
    ])
  func dates(text: String, seconds: Double) {
    #expect(HTTPDate.parse(text, now: Self.received)?.timeIntervalSince1970 == seconds)
  }

  @Test(
    "What is no date",
    arguments: [
      "", "0", "-1", "Sun, 06 Nov 1994", "Sun, 06 Foo 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 8:49 GMT",
    ])
  func noDates(text: String) {
    #expect(HTTPDate.parse(text, now: Self.received) == nil)
  }

  @Test(
    "How long an answer is fresh",
    arguments: [
      ([:], 0.0, true), (["cache-control": "public, max-age=60"], 60, true),
      (["cache-control": "Max-Age=\"60\""], 60, true),
      (["cache-control": "max-age=60", "age": "20"], 40, true),
      (["cache-control": "max-age=60", "age": "90"], 0, true),
      (["cache-control": "max-age=60", "date": "Sun, 04 May 2025 13:52:25 GMT"], 30, true),
      (["cache-control": "no-cache, max-age=60"], 0, true),
      (["cache-control": "no-store, max-age=60"], 0, false),
      (["cache-control": "max-age=abc"], 0, true),
      (["cache-control": "max-age=99999999999999999999"], 86_400, true),
      (["cache-control": "max-age=10, max-age=90"], 10, true),
      (["cache-control": "ext=\"a, no-store\", max-age=5"], 5, true),
      (["expires": "Sun, 04 May 2025 13:54:55 GMT"], 120, true), (["expires": "0"], 0, true),
      (["expires": "Sun, 04 May 2025 13:54:55 GMT", "cache-control": "max-age=1"], 1, true),
    ] as [([String: String], Double, Bool)])
  func cachePolicy(headers: [String: String], freshFor: Double, mayStore: Bool) {
    let policy = CachePolicy(received: Self.received) { headers[$0] }
    #expect(policy.freshFor == freshFor)
    #expect(policy.mayStore == mayStore)
  }

  @Test("An overlong validator is not remembered") func validators() {
    let long = String(repeating: "x", count: 1025)
    #expect(FeedValidators(entityTag: long, lastModified: long).isEmpty)
    #expect(!FeedValidators(entityTag: String(long.dropLast())).isEmpty)
  }

  @Test("Retry-After is a number of seconds or a date") func retryAfter() {
    func parse(_ text: String) -> Duration? { RetryAfter.parse(text, now: Self.received) }
    #expect(parse("120") == .seconds(120))
    #expect(parse("Sun, 04 May 2025 13:53:00 GMT") == .seconds(5))
    #expect(parse("Sun, 04 May 2024 13:53:00 GMT") == .zero)
    #expect(parse("-5") == nil)
    #expect(parse("soon") == nil)
  }

  @Test("Redirects: relative ones and upgrades are followed") func allowedRedirects() throws {
    let origin = try #require(URL(string: "http://example.org/a/feed.json"))
    var rules = RedirectRules(from: origin, maximum: 5, allowedHosts: nil)
    let second = try rules.next(location: "../b?x=1", from: origin)
    #expect(second.absoluteString == "http://example.org/b?x=1")
    let third = try rules.next(location: "https://example.org/b", from: second)
    #expect(!rules.isSameOrigin(third))
    #expect(rules.isSameOrigin(second))
  }

  @Test(
    "Redirects that are refused",
    arguments: [
      "http://example.org/x", "file:///etc/passwd", "ftp://example.org/", "https://evil.test/",
      "https://user:secret@example.org/x", "https://example.org/feed.json", "https:///x",
      "javascript:alert(1)",
    ])
  func refusedRedirects(location: String) throws {
    let origin = try #require(URL(string: "https://example.org/feed.json"))
    var rules = RedirectRules(from: origin, maximum: 5, allowedHosts: ["CDN.example.org"])
    let error = #expect(throws: LocalCopyError.self) {
      try rules.next(location: location, from: origin)
    }
    #expect(error?.code == .redirectRefused)
    #expect(throws: Never.self) {
      try rules.next(location: "https://cdn.example.org/x", from: origin)
    }
  }

  @Test("The number of redirects is limited; a missing address is refused") func limit() throws {
    let origin = try #require(URL(string: "https://example.org/0"))
    var rules = RedirectRules(from: origin, maximum: 2, allowedHosts: nil)
    #expect(throws: LocalCopyError.self) { try rules.next(location: nil, from: origin) }
    _ = try rules.next(location: "/1", from: origin)
    _ = try rules.next(location: "/2", from: origin)
    #expect(throws: LocalCopyError.self) { try rules.next(location: "/3", from: origin) }
  }

  @Test("Sources: addresses, files, paths; secrets stay out of messages") func sources() throws {
    #expect(try FeedSource("/tmp/a b.json") == .file(URL(filePath: "/tmp/a b.json")))
    #expect(try FeedSource("file:///tmp/x").description == "/tmp/x")
    let source = try FeedSource("https://example.org/feed?key=secret#x")
    #expect(source.description == "https://example.org/feed")
    for text in ["", "ftp://example.org/x", "http://", "https://user:pw@example.org/", "x://y"] {
      let error = #expect(throws: LocalCopyError.self) { try FeedSource(text) }
      #expect(error?.code == .invalidSource)
      #expect(error?.description.contains("pw") == false)
    }
  }
}
