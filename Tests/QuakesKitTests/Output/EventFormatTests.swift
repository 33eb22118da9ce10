import Foundation
import QuakesKit
import Testing

@Suite("Writing events")
struct EventFormatTests {
  static func event(_ id: String, place: String? = "near", magnitude: Double? = 4.5) -> Event {
    Event(
      id: id, magnitude: magnitude, magnitudeType: "ml", place: place, time: 1_500, updated: 2_000,
      longitude: -122.5, latitude: 38, depth: nil, type: "earthquake", status: "reviewed",
      alert: nil, tsunami: false, felt: 3, significance: 312, url: "https://example.org/?a=1&b=2")
  }

  @Test("JSON reads back as the same events, also with text that needs escapes")
  func json() throws {
    let events = [
      Self.event("a", place: "quote \" slash \\ tab \t esc \u{1b} del \u{7f} csi \u{9b} é ö 日本"),
      Self.event("b", place: nil, magnitude: nil),
    ]
    let bytes = EventFormat.json.document(events)
    #expect(try JSONDecoder().decode([Event].self, from: Data(bytes)) == events)
    let controls = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
      ($0.value < 0x20 && $0 != "\n") || (0x7f...0x9f).contains($0.value)
    }
    #expect(controls.isEmpty)
    #expect(String(decoding: bytes, as: UTF8.self).contains(#""magnitude":null"#))
  }

  @Test("No events are an empty array, an empty collection and a header line")
  func empty() throws {
    let none: [Event] = []
    #expect(
      try JSONDecoder().decode([Event].self, from: Data(EventFormat.json.document(none))).isEmpty)
    let object = try JSONSerialization.jsonObject(
      with: Data(EventFormat.geojson.document(none)))
    #expect(((object as? [String: Any])?["features"] as? [Any])?.isEmpty == true)
    #expect(EventFormat.csv.document(none).filter { $0 == 0x0a }.count == 1)
  }

  @Test("GeoJSON reads back as a feed")
  func geojson() throws {
    struct Collection: Decodable { var features: [Feature] }
    let bytes = EventFormat.geojson.document([Self.event("a"), Self.event("b", magnitude: nil)])
    let features = try JSONDecoder().decode(Collection.self, from: Data(bytes)).features
    #expect(features.map(\.id) == ["a", "b"])
    #expect(features.map(\.properties.magnitude) == [4.5, nil])
    #expect(features[0].geometry.longitude == -122.5 && features[0].geometry.depth == nil)
    #expect(features[0].properties.time == Date(timeIntervalSince1970: 1.5))
  }

  @Test("CSV quotes as RFC 4180 requires and has the same number of fields in each line")
  func csv() {
    let text = String(
      decoding: EventFormat.csv.document([Self.event("a", place: "5 km \"N\", of, x")]),
      as: UTF8.self)
    let lines = text.components(separatedBy: "\r\n")
    #expect(lines.count == 3 && lines[2].isEmpty)
    #expect(lines[1].contains(#","5 km ""N"", of, x","#))
    #expect(lines[1].hasPrefix("a,1970-01-01T00:00:01.500Z,1970-01-01T00:00:02.000Z,4.5,ml,"))
    #expect(lines[1].contains(",-122.5,38,,earthquake,"))
  }

  @Test("Control characters never reach CSV")
  func csvControls() {
    let bytes = EventFormat.csv.document([
      Self.event("a", place: "\u{1b}[31mred\r\n\u{9b}x\u{202e}y")
    ])
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.unicodeScalars.contains("\u{1b}") && !text.unicodeScalars.contains("\u{9b}"))
    #expect(text.filter(\.isNewline).count == 2)
  }

  @Test("Text is cut by its width in columns, not by its count of characters")
  func widths() {
    #expect(PlainText.width("abc") == 3 && PlainText.width("日本") == 4)
    #expect(PlainText.width("e\u{301}") == 1)
    #expect(PlainText.fitted("abcdef", columns: 4) == "abc…")
    #expect(PlainText.fitted("日本語", columns: 4) == "日…")
    #expect(
      PlainText.fitted("abcd", columns: 4) == "abcd" && PlainText.fitted("a", columns: 0) == "")
    #expect(PlainText.neutralised("a\u{7}b\u{2066}c") == "a\u{fffd}b\u{fffd}c")
  }

  @Test("Times are written in ISO 8601 over all centuries")
  func timestamps() throws {
    #expect(Timestamp.iso8601(-1) == "1969-12-31T23:59:59.999Z")
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for days in stride(from: -40_000, to: 40_000, by: 97) {
      let date = try style.parse(Timestamp.iso8601(days * 86_400_000 + 5_000))
      #expect(Int((date.timeIntervalSince1970 * 1_000).rounded()) == days * 86_400_000 + 5_000)
    }
  }
}
