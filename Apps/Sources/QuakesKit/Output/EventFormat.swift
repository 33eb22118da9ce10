import Foundation
import WireFormats

/// A format in which events are exported to other programs. All formats are UTF-8.
public enum EventFormat: String, CaseIterable, Sendable {
  /// A JSON array of the API's event objects.
  case json
  /// Comma-separated values (RFC 4180) of the API's fields, with a header line.
  case csv
  /// Comma-separated values with the columns of the USGS's own.
  case usgsCSV = "usgs-csv"
  /// A GeoJSON feature collection (RFC 7946) with the properties of the USGS feeds.
  case geojson
  /// Placemarks for maps and globes.
  case kml
  /// QuakeML 1.2, the exchange format of seismology.
  case quakeml
  /// A feed for readers of news.
  case atom

  /// The media type, with the character set.
  public var mediaType: String {
    switch self {
    case .json: "application/json; charset=utf-8"
    case .csv, .usgsCSV: "text/csv; charset=utf-8; header=present"
    case .geojson: "application/geo+json"
    case .kml: "application/vnd.google-earth.kml+xml; charset=utf-8"
    case .quakeml: "application/xml; charset=utf-8"
    case .atom: "application/atom+xml; charset=utf-8"
    }
  }

  /// The end of a file's name.
  public var fileExtension: String {
    switch self {
    case .usgsCSV: "csv"
    case .quakeml: "xml"
    default: rawValue
    }
  }

  /// Returns a whole document.
  public func document(_ events: some Sequence<Event>) -> [UInt8] {
    var writer = EventWriter(self)
    var result = writer.opening
    for event in events { result += writer.bytes(event) }
    return result + writer.closing
  }
}

/// Writes events in a format, piece by piece: first ``opening``, then ``bytes(_:)`` for each event, then ``closing``.
public struct EventWriter: Sendable {
  /// The format.
  public let format: EventFormat
  private let columns: [EventColumn]
  private var isFirst = true
  /// The time of the last change to an event.
  private var updated = Date(timeIntervalSince1970: 0)

  /// Creates a writer for a document.
  /// - Parameter columns: The columns of ``EventFormat/csv`` in their order; nil for all.
  public init(_ format: EventFormat, columns: [EventColumn]? = nil) {
    self.format = format
    self.columns = columns ?? CSVRow.columns
  }

  /// The bytes before the first event.
  public var opening: [UInt8] {
    switch format {
    case .json: return Array("[".utf8)
    case .csv: return Array((columns.map(\.rawValue).joined(separator: ",") + "\r\n").utf8)
    case .usgsCSV: return Array((USGSRow.columns.joined(separator: ",") + "\r\n").utf8)
    case .geojson: return Array(#"{"type":"FeatureCollection","features":["#.utf8)
    case .kml, .quakeml, .atom: break
    }
    var xml = XMLText()
    xml.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    switch format {
    case .kml:
      xml.raw("<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document><name>")
      xml.raw(EventXML.title)
      xml.raw("</name>\n")
    case .quakeml:
      xml.raw("<q:quakeml xmlns=\"http://quakeml.org/xmlns/bed/1.2\"")
      xml.raw(" xmlns:q=\"http://quakeml.org/xmlns/quakeml/1.2\">")
      xml.raw("<eventParameters publicID=\"smi:local/quakes\">\n")
    default:
      xml.raw("<feed xmlns=\"http://www.w3.org/2005/Atom\"")
      xml.raw(" xmlns:georss=\"http://www.georss.org/georss\"><title>")
      xml.raw(EventXML.title)
      xml.raw("</title><id>tag:earthquake.usgs.gov,2026:quakes</id>")
      xml.raw("<author><name>U.S. Geological Survey</name></author>\n")
    }
    return xml.bytes
  }

  /// Returns the bytes of an event.
  public mutating func bytes(_ event: Event) -> [UInt8] {
    defer { isFirst = false }
    updated = max(updated, event.updated)
    switch format {
    case .csv: return Array(CSVRow(event, columns).text.utf8)
    case .usgsCSV: return Array(USGSRow.text(event).utf8)
    case .kml: return EventXML.placemark(event)
    case .quakeml: return EventXML.quake(event)
    case .atom: return EventXML.entry(event)
    case .json, .geojson:
      var json = JSONWriter()
      if isFirst { json.raw("\n") } else { json.raw(",\n") }
      if format == .json { event.write(to: &json) } else { event.writeFeature(to: &json) }
      return json.bytes
    }
  }

  /// The bytes after the last event.
  public var closing: [UInt8] {
    switch format {
    case .json: return Array("\n]\n".utf8)
    case .csv, .usgsCSV: return []
    case .geojson: return Array("\n]}\n".utf8)
    case .kml: return Array("</Document></kml>\n".utf8)
    case .quakeml: return Array("</eventParameters></q:quakeml>\n".utf8)
    case .atom:
      // The order of a feed's elements has no meaning (RFC 4287, section 4.1.1): here it is known.
      return Array("<updated>\(Timestamp.iso8601(updated))</updated></feed>\n".utf8)
    }
  }
}
