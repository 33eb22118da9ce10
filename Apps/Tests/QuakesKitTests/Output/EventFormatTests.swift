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
        {"type":"Feature","properties":{"mag":4.5,"place":"near","time":1500,"updated":2000,"tz":null,\#
        "url":"https://example.org/?a=1&b=2","detail":null,"felt":3,"cdi":null,"mmi":null,"alert":null,\#
        "status":"reviewed","tsunami":1,"sig":312,"net":"","code":"","ids":",a,us1,us2,",\#
        "sources":null,"types":null,"nst":null,"dmin":null,"rms":null,"gap":null,"magType":"ml",\#
        "type":"earthquake","title":null},"geometry":{"type":"Point",\#
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

  /// An event with a value in every field.
  static var complete: Event {
    var event = event("us7000abcd", place: "12 km SSW of Tōwn & <Cø>", magnitude: 5.25)
    event.depth = 7.5
    event.alert = "green"
    event.tsunami = true
    event.net = "us"
    event.code = "7000abcd"
    event.aliases = ",at1,nc2,"
    event.sources = ",us,at,nc,"
    event.types = ",origin,shakemap,"
    event.title = "M 5.3 - 12 km SSW of Tōwn"
    event.detail = "https://example.org/detail?id=1"
    event.timeZone = -480
    event.reportedIntensity = 4.1
    event.estimatedIntensity = 5.512
    event.stations = 41
    event.nearestStation = 0.321
    event.residual = 0.65
    event.gap = 88
    return event
  }

  @Test("GeoJSON reads back with all values of an event")
  func roundTrip() throws {
    struct Collection: Decodable { var features: [FeedEvent] }
    let events = [Self.complete, Self.event("a", place: nil, magnitude: nil)]
    let bytes = EventFormat.geojson.document(events)
    let read = try JSONDecoder().decode(Collection.self, from: Data(bytes)).features.map(\.event)
    #expect(read == events)
  }

  private func text(_ format: EventFormat, _ events: [Event]) -> String {
    String(decoding: format.document(events), as: UTF8.self)
  }

  @Test("CSV of the USGS's columns")
  func usgsColumns() {
    #expect(
      text(.usgsCSV, [Self.complete, Self.event("a")])
        == "time,latitude,longitude,depth,mag,magType,nst,gap,dmin,rms,net,id,updated,place,type,"
        + "horizontalError,depthError,magError,magNst,status,locationSource,magSource\r\n"
        + "1970-01-01T00:00:01.500Z,38,-122.5,7.5,5.25,ml,41,88,0.321,0.65,us,us7000abcd,"
        + "1970-01-01T00:00:02.000Z,12 km SSW of Tōwn & <Cø>,earthquake,,,,,reviewed,,\r\n"
        + "1970-01-01T00:00:01.500Z,38,-122.5,,4.5,ml,,,,,,a,1970-01-01T00:00:02.000Z,near,"
        + "earthquake,,,,,reviewed,,\r\n")
  }

  @Test("KML has a placemark for each event, with its fields as data")
  func kml() {
    #expect(
      text(.kml, [Self.event("a")])
        == """
        <?xml version="1.0" encoding="UTF-8"?>
        <kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Earthquakes</name>
        <Placemark><name>M 4.5, near</name>\
        <TimeStamp><when>1970-01-01T00:00:01.500Z</when></TimeStamp><ExtendedData>\
        <Data name="id"><value>a</value></Data><Data name="magnitude"><value>4.5</value></Data>\
        <Data name="magnitudeType"><value>ml</value></Data>\
        <Data name="place"><value>near</value></Data>\
        <Data name="time"><value>1970-01-01T00:00:01.500Z</value></Data>\
        <Data name="updated"><value>1970-01-01T00:00:02.000Z</value></Data>\
        <Data name="longitude"><value>-122.5</value></Data>\
        <Data name="latitude"><value>38</value></Data>\
        <Data name="type"><value>earthquake</value></Data>\
        <Data name="status"><value>reviewed</value></Data>\
        <Data name="tsunami"><value>false</value></Data><Data name="felt"><value>3</value></Data>\
        <Data name="significance"><value>312</value></Data>\
        <Data name="url"><value>https://example.org/?a=1&amp;b=2</value></Data></ExtendedData>\
        <Point><coordinates>-122.5,38</coordinates></Point></Placemark>
        </Document></kml>

        """)
  }

  @Test("QuakeML has an origin and a magnitude for each event; depths are in metres")
  func quakeML() {
    #expect(
      text(.quakeml, [Self.complete])
        == """
        <?xml version="1.0" encoding="UTF-8"?>
        <q:quakeml xmlns="http://quakeml.org/xmlns/bed/1.2" \
        xmlns:q="http://quakeml.org/xmlns/quakeml/1.2"><eventParameters publicID="smi:local/quakes">
        <event publicID="smi:local/event/us7000abcd">\
        <preferredOriginID>smi:local/origin/us7000abcd</preferredOriginID>\
        <preferredMagnitudeID>smi:local/magnitude/us7000abcd</preferredMagnitudeID>\
        <type>earthquake</type><description><text>12 km SSW of Tōwn &amp; &lt;Cø&gt;</text>\
        <type>region name</type></description><creationInfo><agencyID>us</agencyID>\
        <creationTime>1970-01-01T00:00:02.000Z</creationTime></creationInfo>\
        <origin publicID="smi:local/origin/us7000abcd">\
        <time><value>1970-01-01T00:00:01.500Z</value></time>\
        <longitude><value>-122.5</value></longitude><latitude><value>38</value></latitude>\
        <depth><value>7500</value></depth><quality><usedStationCount>41</usedStationCount>\
        <standardError>0.65</standardError><azimuthalGap>88</azimuthalGap>\
        <minimumDistance>0.321</minimumDistance></quality>\
        <evaluationMode>manual</evaluationMode><evaluationStatus>reviewed</evaluationStatus>\
        </origin><magnitude publicID="smi:local/magnitude/us7000abcd"><mag><value>5.25</value></mag>\
        <type>ml</type><originID>smi:local/origin/us7000abcd</originID>\
        <evaluationMode>manual</evaluationMode><evaluationStatus>reviewed</evaluationStatus>\
        </magnitude></event>
        </eventParameters></q:quakeml>

        """)
    var blast = Self.event("q/1 é", magnitude: nil)
    blast.type = "chemical oops"
    let other = text(.quakeml, [blast])
    #expect(other.contains("smi:local/event/q~2F1~20~C3~A9\""))
    #expect(other.contains("<type>other event</type>") && !other.contains("<magnitude"))
  }

  @Test("Atom has the time of the last change, also without events")
  func atom() {
    var newer = Self.event("b", magnitude: nil)
    newer.updated = Date(timeIntervalSince1970: 86_400)
    newer.url = nil
    newer.depth = 10
    #expect(
      text(.atom, [Self.event("a"), newer])
        == """
        <?xml version="1.0" encoding="UTF-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">\
        <title>Earthquakes</title><id>tag:earthquake.usgs.gov,2026:quakes</id>\
        <author><name>U.S. Geological Survey</name></author>
        <entry><id>tag:earthquake.usgs.gov,2026:a</id><title>M 4.5, near</title>\
        <updated>1970-01-01T00:00:02.000Z</updated>\
        <link rel="alternate" href="https://example.org/?a=1&amp;b=2"/>\
        <summary>earthquake, 1970-01-01 00:00:01 UTC</summary>\
        <georss:point>38 -122.5</georss:point></entry>
        <entry><id>tag:earthquake.usgs.gov,2026:b</id><title>near</title>\
        <updated>1970-01-02T00:00:00.000Z</updated>\
        <summary>earthquake, 1970-01-01 00:00:01 UTC, 10 km deep</summary>\
        <georss:point>38 -122.5</georss:point><georss:elev>-10000</georss:elev></entry>
        <updated>1970-01-02T00:00:00.000Z</updated></feed>

        """)
    #expect(text(.atom, []).contains("<updated>1970-01-01T00:00:00.000Z</updated></feed>"))
  }

  @Test(
    "XML has no characters that it can't contain, and none that end an element or an attribute",
    arguments: [EventFormat.kml, .quakeml, .atom])
  func hostileXML(_ format: EventFormat) {
    var event = Self.complete
    let text = "a\0b\u{1b}[31m</name>]]><!--\u{FFFE}\u{9b}\"'&\r\n"
    event.place = text
    event.eventID = text
    event.magnitudeType = text
    event.net = text
    event.type = text
    // A blank or a control character would make it none of the web, which isn't written.
    event.url = "https://example.org/</name>]]><!--\u{FFFE}\"'&"
    let written = self.text(format, [event])
    #expect(format == .quakeml || written.contains("https://example.org/&lt;/name&gt;"))
    #expect(!written.contains("</name>]]>") && !written.contains("<!--"))
    for scalar in written.unicodeScalars where scalar != "\n" {
      #expect(scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value) && scalar != "\u{FFFE}")
    }
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
