import Foundation
import WireFormats

/// A format in which events are exported to other programs. All formats are UTF-8 and are written
/// piece by piece.
public enum EventFormat: String, CaseIterable, Sendable {
  /// A JSON array of the API's event objects.
  case json
  /// Comma-separated values (RFC 4180) with a header line.
  case csv
  /// A GeoJSON feature collection (RFC 7946).
  case geojson

  /// The bytes before the first event.
  public var opening: [UInt8] {
    switch self {
    case .json: Array("[".utf8)
    case .csv: Array((CSVRow.columns.joined(separator: ",") + "\r\n").utf8)
    case .geojson: Array(#"{"type":"FeatureCollection","features":["#.utf8)
    }
  }

  /// Returns the bytes of an event.
  /// - Parameters:
  ///   - event: The event.
  ///   - isFirst: Whether it is the first event, which has no separator before it.
  public func bytes(_ event: Event, isFirst: Bool) -> [UInt8] {
    switch self {
    case .csv:
      return Array(CSVRow(event).text.utf8)
    case .json, .geojson:
      var json = JSONWriter()
      if isFirst { json.raw("\n") } else { json.raw(",\n") }
      if self == .json { event.write(to: &json) } else { event.writeFeature(to: &json) }
      return json.bytes
    }
  }

  /// The bytes after the last event.
  public var closing: [UInt8] {
    switch self {
    case .json: Array("\n]\n".utf8)
    case .csv: []
    case .geojson: Array("\n]}\n".utf8)
    }
  }

  /// Returns a whole document.
  public func document(_ events: some Sequence<Event>) -> [UInt8] {
    var result = opening
    var isFirst = true
    for event in events {
      result += bytes(event, isFirst: isFirst)
      isFirst = false
    }
    return result + closing
  }
}
