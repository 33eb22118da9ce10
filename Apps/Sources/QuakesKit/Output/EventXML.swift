import Foundation

/// Events in the three formats of XML: KML (https://docs.ogc.org/is/12-007r2/12-007r2.html), QuakeML 1.2
/// (https://quake.ethz.ch/quakeml/docs/REC) and Atom (RFC 4287, with the points of
/// https://docs.ogc.org/cs/17-002r1/17-002r1.html).
enum EventXML {
  /// The name of what is exported.
  static let title: StaticString = "Earthquakes"

  // MARK: KML

  static func placemark(_ event: Event) -> [UInt8] {
    var xml = XMLText()
    xml.raw("<Placemark>")
    xml.element("name", heading(event))
    xml.element("TimeStamp") { $0.element("when", Timestamp.iso8601(event.time)) }
    xml.raw("<ExtendedData>")
    var data = KMLData(xml: xml)
    event.fields(to: &data)
    xml = data.xml
    xml.raw("</ExtendedData>")
    xml.element("Point") {
      $0.element(
        "coordinates", "\(event.longitude.exportedText),\(event.latitude.exportedText)")
    }
    xml.raw("</Placemark>\n")
    return xml.bytes
  }

  /// `M 4.5, 10 km N of Town`.
  private static func heading(_ event: Event) -> String {
    let magnitude = event.magnitudeText.map { "M \($0)" }
    let parts = [magnitude, event.place].compactMap { $0 }
    return parts.isEmpty ? event.id : parts.joined(separator: ", ")
  }

  // MARK: QuakeML

  /// The types of QuakeML 1.2 (its `EventType`). Those of the feeds are mostly the same.
  private static let types: Set<String> = [
    "accidental explosion", "acoustic noise", "anthropogenic event", "atmospheric event",
    "avalanche", "blasting levee", "boat crash", "building collapse", "cavity collapse",
    "chemical explosion", "collapse", "controlled explosion", "crash", "debris avalanche",
    "earthquake", "experimental explosion", "explosion", "fluid extraction", "fluid injection",
    "hydroacoustic event", "ice quake", "induced or triggered event", "industrial explosion",
    "landslide", "meteorite", "mine collapse", "mining explosion", "not existing", "not reported",
    "nuclear explosion", "plane crash", "quarry blast", "reservoir loading", "road cut",
    "rock burst", "rockslide", "slide", "snow avalanche", "sonic blast", "sonic boom", "thunder",
    "train crash", "volcanic eruption",
  ]

  static func quake(_ event: Event) -> [UInt8] {
    let id = resource(event.id)
    var xml = XMLText()
    xml.raw("<event publicID=\"smi:local/event/")
    xml.text(id)
    xml.raw("\">")
    xml.element("preferredOriginID", "smi:local/origin/\(id)")
    if event.magnitude != nil {
      xml.element("preferredMagnitudeID", "smi:local/magnitude/\(id)")
    }
    xml.element("type", types.contains(event.type) ? event.type : "other event")
    if let place = event.place {
      xml.element("description") {
        $0.element("text", place)
        $0.element("type", "region name")
      }
    }
    creation(event, to: &xml)
    xml.raw("<origin publicID=\"smi:local/origin/")
    xml.text(id)
    xml.raw("\">")
    value("time", Timestamp.iso8601(event.time), to: &xml)
    value("longitude", event.longitude.exportedText, to: &xml)
    value("latitude", event.latitude.exportedText, to: &xml)
    // In metres.
    if let depth = event.depth { value("depth", (depth * 1_000).exportedText, to: &xml) }
    quality(event, to: &xml)
    status(event, to: &xml)
    xml.raw("</origin>")
    if let magnitude = event.magnitude {
      xml.raw("<magnitude publicID=\"smi:local/magnitude/")
      xml.text(id)
      xml.raw("\">")
      value("mag", magnitude.exportedText, to: &xml)
      xml.element("type", event.magnitudeType)
      xml.element("originID", "smi:local/origin/\(id)")
      status(event, to: &xml)
      xml.raw("</magnitude>")
    }
    xml.raw("</event>\n")
    return xml.bytes
  }

  private static func value(_ name: StaticString, _ text: String, to xml: inout XMLText) {
    xml.element(name) { $0.element("value", text) }
  }

  private static func creation(_ event: Event, to xml: inout XMLText) {
    xml.element("creationInfo") {
      if !event.net.isEmpty { $0.element("agencyID", event.net) }
      $0.element("creationTime", Timestamp.iso8601(event.updated))
    }
  }

  private static func quality(_ event: Event, to xml: inout XMLText) {
    guard event.stations ?? 0 >= 0 else { return }
    xml.element("quality") {
      $0.element("usedStationCount", event.stations.map(String.init))
      $0.element("standardError", event.residual?.exportedText)
      $0.element("azimuthalGap", event.gap?.exportedText)
      $0.element("minimumDistance", event.nearestStation?.exportedText)
    }
  }

  private static func status(_ event: Event, to xml: inout XMLText) {
    switch event.status {
    case "reviewed":
      xml.element("evaluationMode", "manual")
      xml.element("evaluationStatus", "reviewed")
    case "automatic": xml.element("evaluationMode", "automatic")
    default: break
    }
  }

  /// Returns an identifier in the characters that those of QuakeML may have; others as `~` and their bytes in
  /// hexadecimal.
  static func resource(_ id: String) -> String {
    var text = ""
    for byte in id.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += String(format: "~%02X", byte)
      }
    }
    return text
  }

  // MARK: Atom

  static func entry(_ event: Event) -> [UInt8] {
    var xml = XMLText()
    xml.raw("<entry>")
    xml.element("id", "tag:earthquake.usgs.gov,2026:\(resource(event.id))")
    xml.element("title", heading(event))
    xml.element("updated", Timestamp.iso8601(event.updated))
    if let address = event.webAddress {
      xml.raw("<link rel=\"alternate\" href=\"")
      xml.text(address)
      xml.raw("\"/>")
    }
    xml.element("summary", summary(event))
    xml.element(
      "georss:point", "\(event.latitude.exportedText) \(event.longitude.exportedText)")
    // In metres, with the sign of heights.
    xml.element("georss:elev", event.depth.map { (-$0 * 1_000).exportedText })
    xml.raw("</entry>\n")
    return xml.bytes
  }

  private static func summary(_ event: Event) -> String {
    let time = Timestamp.iso8601(event.time).prefix(19).replacingOccurrences(of: "T", with: " ")
    let depth = event.depth.map { ", \($0.exportedText) km deep" } ?? ""
    let withdrawn = event.withdrawn == nil ? "" : ", withdrawn"
    return "\(event.type), \(time) UTC\(depth)\(withdrawn)"
  }
}

/// The fields of an event as the data of a KML placemark. Unknown ones are left out.
private struct KMLData: EventFieldReceiver {
  var xml: XMLText

  private mutating func add(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    xml.raw("<Data name=\"")
    xml.raw(name)
    xml.raw("\">")
    xml.element("value", text)
    xml.raw("</Data>")
  }

  mutating func field(_ name: StaticString, _ value: String?) { add(name, value) }

  mutating func field(_ name: StaticString, _ value: Double?) {
    add(name, value?.exportedText)
  }

  mutating func field(_ name: StaticString, _ value: Int?) { add(name, value.map(String.init)) }

  mutating func field(_ name: StaticString, _ value: Bool) { add(name, value ? "true" : "false") }

  mutating func field(_ name: StaticString, _ value: Date?) {
    add(name, value.map { Timestamp.iso8601($0) })
  }

  mutating func field(_ name: StaticString, _ value: [String]) {
    add(name, value.isEmpty ? nil : value.joined(separator: " "))
  }
}
