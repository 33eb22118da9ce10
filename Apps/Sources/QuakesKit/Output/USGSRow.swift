import Foundation

/// An event as a record of comma-separated values with the columns of the USGS
/// (https://earthquake.usgs.gov/earthquakes/feed/v1.0/csv.php). Columns that its GeoJSON feeds don't have are empty.
enum USGSRow {
  static let columns = [
    "time", "latitude", "longitude", "depth", "mag", "magType", "nst", "gap", "dmin", "rms", "net",
    "id", "updated", "place", "type", "horizontalError", "depthError", "magError", "magNst",
    "status", "locationSource", "magSource",
  ]

  /// Returns the record with its line end.
  static func text(_ event: Event) -> String {
    let values: [String?] = [
      Timestamp.iso8601(event.time), event.latitude.exportedText, event.longitude.exportedText,
      event.depth?.exportedText, event.magnitude?.exportedText,
      event.magnitudeType.map(CSVRow.field), event.stations.map(String.init),
      event.gap?.exportedText, event.nearestStation?.exportedText, event.residual?.exportedText,
      CSVRow.field(event.net), CSVRow.field(event.id), Timestamp.iso8601(event.updated),
      event.place.map(CSVRow.field), CSVRow.field(event.type), nil, nil, nil, nil,
      event.status.map(CSVRow.field), nil, nil,
    ]
    return values.map { $0 ?? "" }.joined(separator: ",") + "\r\n"
  }
}
