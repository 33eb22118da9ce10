import Foundation
import QuakesKit
import Testing

@Suite("Writing events")
struct EventFormatTests {
  static func event(_ id: String, place: String? = "near", magnitude: Double? = 4.5) -> Event {
    Event(
      eventID: id, magnitude: magnitude, magnitudeType: "ml", place: place,
      time: Date(timeIntervalSince1970: 1.5), updated: Date(timeIntervalSince1970: 2),
      longitude: -122.5, latitude: 38, type: "earthquake", status: "reviewed", tsunami: false,
      felt: 3, significance: 312, url: "https://example.org/?a=1&b=2", code: "", net: "")
  }

  @Test("JSON reads back as the same events, also with text that needs escapes")
  func json() throws {
    let events = [
      Self.event("a", place: "quote \" slash \\ tab \t esc \u{1b} del \u{7f} csi \u{9b} é ö 日本"),
      Self.event("b", place: nil, magnitude: nil),
    ]
    let bytes = EventFormat.json.document(events)
    let read = try #require(
      try JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]])
    #expect(read.map { $0["place"] as? String } == events.map(\.place))
    let controls = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
      ($0.value < 0x20 && $0 != "\n") || (0x7f...0x9f).contains($0.value)
    }
    #expect(controls.isEmpty)
    #expect(String(decoding: bytes, as: UTF8.self).contains(#""magnitude":null"#))
  }

  @Test("Each format has its members or columns in their order")
  func wholeDocuments() {
    var event = Self.event("a")
    event.aliases = ",us1,us2,"
    event.withdrawn = Date(timeIntervalSince1970: 3)
    event.tsunami = true
    #expect(
      String(decoding: EventFormat.json.document([event]), as: UTF8.self)
        == #"""
        [
        {"id":"a","magnitude":4.5,"magnitudeType":"ml","place":"near","time":1500,"updated":2000,\#
        "longitude":-122.5,"latitude":38,"depth":null,"type":"earthquake","status":"reviewed",\#
        "alert":null,"tsunami":true,"felt":3,"significance":312,"url":"https://example.org/?a=1&b=2",\#
        "aliases":["us1","us2"],"withdrawn":3000}
        ]

        """#)
    #expect(
      String(decoding: EventFormat.csv.document([event]), as: UTF8.self)
        == "id,time,updated,magnitude,magnitudeType,place,longitude,latitude,depth,type,status,alert,"
        + "tsunami,felt,significance,url\r\n"
        + "a,1970-01-01T00:00:01.500Z,1970-01-01T00:00:02.000Z,4.5,ml,near,-122.5,38,,earthquake,"
        + "reviewed,,true,3,312,https://example.org/?a=1&b=2\r\n")
    #expect(
      String(decoding: EventFormat.geojson.document([event]), as: UTF8.self)
        == #"""
        {"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{"mag":4.5,"place":"near","time":1500,"updated":2000,\#
        "url":"https://example.org/?a=1&b=2","felt":3,"alert":null,"status":"reviewed","tsunami":1,\#
        "sig":312,"magType":"ml","type":"earthquake"},"geometry":{"type":"Point",\#
        "coordinates":[-122.5,38]},"id":"a"}
        ]}

        """#)
  }

  @Test("No events are an empty array, an empty collection and a header line")
  func empty() throws {
    let none: [Event] = []
    let list = try JSONSerialization.jsonObject(with: Data(EventFormat.json.document(none)))
    #expect((list as? [Any])?.isEmpty == true)
    let object = try JSONSerialization.jsonObject(
      with: Data(EventFormat.geojson.document(none)))
    #expect(((object as? [String: Any])?["features"] as? [Any])?.isEmpty == true)
    #expect(EventFormat.csv.document(none).filter { $0 == 0x0a }.count == 1)
  }

  @Test("GeoJSON reads back as a feed")
  func geojson() throws {
    struct Collection: Decodable { var features: [FeedEvent] }
    let bytes = EventFormat.geojson.document([Self.event("a"), Self.event("b", magnitude: nil)])
    let events = try JSONDecoder().decode(Collection.self, from: Data(bytes)).features.map(\.event)
    #expect(events.map(\.id) == ["a", "b"] && events.map(\.magnitude) == [4.5, nil])
    #expect(events[0].longitude == -122.5 && events[0].depth == nil)
    #expect(events[0].time == Date(timeIntervalSince1970: 1.5))
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
