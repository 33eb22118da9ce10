import Foundation
import HTTPContent
import Testing

@testable import QuakesKit

/// Texts of feeds that a spreadsheet would evaluate, and texts that a terminal wouldn't show.
@Suite struct HostileTextTests {
  @Test(arguments: [
    "=cmd()", "+1", "-1+2", "@SUM(A1)", " =1", "\u{FF1D}1", "\u{FF0B}1", "\u{FF0D}1", "\u{FF20}a",
    "=HYPERLINK(\"http://a\",\"b\")", "=1,2", "\t=1", "\r=1", "\u{A0}=1",
  ])
  func noFieldIsAFormula(_ text: String) throws {
    let field = CSVRow.field(text)
    let shown = field.hasPrefix("\"") ? String(field.dropFirst()) : field
    let first = try #require(shown.unicodeScalars.first { !$0.properties.isWhitespace })
    #expect(first == "'" || first == "\u{FFFD}")
  }

  @Test(arguments: [
    (",\u{301}=1", "\",\u{301}=1\""), ("a\"\u{301},=1", "\"a\"\"\u{301},=1\""),
    ("\"\u{338}", "\"\"\"\u{338}\""), ("a,b", "\"a,b\""), ("\"", "\"\"\"\""),
  ])
  func accentsHideNoCommaAndNoQuote(_ text: String, _ field: String) {
    #expect(Array(CSVRow.field(text).utf8) == Array(field.utf8))
  }

  @Test(arguments: ["4 km NW of The Geysers, CA", "a=b", "", "5-mile", "\u{2212}1"])
  func otherTextsStayAsTheyAre(_ text: String) {
    #expect(!CSVRow.field(text).contains("'"))
  }

  @Test(arguments: [
    0x200B, 0x200C, 0x200D, 0x2060, 0x2061, 0x2064, 0xFEFF, 0xAD, 0x61C, 0x180E, 0x200E, 0x202E,
    0x2066,
    0xFFF9, 0xE0001, 0xE0041, 0x1D173, 0x115F, 0x3164, 0xFFA0, 0x34F, 0x1B, 0x9B, 0x7F, 0x2028,
  ])
  func invisibleCharactersAreShown(_ value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    #expect(PlainText.neutralised("a\(scalar)b") == "a\u{FFFD}b")
  }

  @Test func joinersOfScriptsAndEmojiStay() {
    for text in [
      "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}", "\u{1F469}\u{200D}\u{1F52C}", "\u{2764}\u{FE0F}",
      "\u{915}\u{94D}\u{200D}\u{937}", "T\u{14D}wn",
    ] {
      #expect(PlainText.neutralised(text) == text)
    }
  }

  @Test(arguments: [
    "http: -o /tmp/a http://a/", "http", ":https:a", "https:", "https:a", "ftp://a/", "xhttps://a/",
    " https://a/", "https://a/ b", "https://a/\tb", "https://a/\u{A0}b", "https://a/\u{2028}b",
    "https://a/\u{1B}b", "https://a/\u{202E}b", "https:/\u{301}/a",
  ])
  func otherTextsAreNoWebAddress(_ text: String) {
    var event = EventFormatTests.event("a")
    event.url = text
    #expect(event.webAddress == nil)
  }

  @Test(arguments: ["https://a/b?c=d#e", "HTTP://127.0.0.1:80/", "https://\u{E9}.a/\u{6771}"])
  func webAddressesStayAsTheyAre(_ text: String) {
    var event = EventFormatTests.event("a")
    event.url = text
    #expect(event.webAddress == text)
  }
}
