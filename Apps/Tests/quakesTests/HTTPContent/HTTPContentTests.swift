import HTTPContent
import Testing

@Suite("HTTP content")
struct HTTPContentTests {
  @Test(
    "Accept-Encoding decides",
    arguments: [
      (nil, false), ("", false), ("gzip", true), ("br, GZIP", true), ("gzip;q=0", false),
      ("gzip; q=0.0, *", false), ("*", true), ("*;q=0", false), ("identity", false),
      ("deflate, gzip;q=1.0, *;q=0.5", true),
    ])
  func negotiation(field: String?, expected: Bool) {
    #expect(Negotiation.acceptsGzip(field) == expected)
  }

  @Test(
    "If-None-Match compares weakly",
    arguments: [
      (nil, false), ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("*", true),
      ("\"b\"", false), ("a", false), ("", false),
    ])
  func entityTags(field: String?, expected: Bool) {
    #expect(Negotiation.matches(field, tag: "\"a\"") == expected)
    #expect(Negotiation.matches(field, tag: "W/\"a\"") == expected)
  }

  @Test("The hash is FNV-1a's")
  func hash() {
    var hash = ContentHash()
    hash.combine("foobar".utf8)
    #expect(hash.value == 0x8594_4171_f739_67e8)
    // Without contiguous bytes, in pieces, and with none.
    var other = ContentHash()
    other.combine(sequence(first: UInt8(ascii: "f")) { _ in nil })
    other.combine([])
    other.combine(Array("oobar".utf8))
    #expect(other == hash)
  }
}
