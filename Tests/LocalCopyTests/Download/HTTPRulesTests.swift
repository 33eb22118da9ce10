import Foundation
import Testing

@testable import LocalCopy

@Suite("The rules of HTTP: caching, redirects")
struct HTTPRulesTests {
  static let received = Date(timeIntervalSince1970: 1_746_366_775)

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

  @Test(
    "A validator that can't be sent back is not remembered, nor read from a record",
    arguments: ["\"a\u{1}b\"", "\u{7F}", "a\r\nb: c", "\0", "\u{1F}"])
  func unsendableValidators(_ text: String) throws {
    #expect(FeedValidators(entityTag: text, lastModified: text).isEmpty)
    let record = try JSONEncoder().encode(["entityTag": text, "lastModified": "\t\u{e9}"])
    let read = try JSONDecoder().decode(FeedValidators.self, from: record)
    #expect(read.entityTag == nil && read.lastModified == "\t\u{e9}")
    let again = try JSONDecoder().decode(FeedValidators.self, from: JSONEncoder().encode(read))
    #expect(again == read)
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
