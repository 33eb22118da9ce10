import WireFormats

extension Event {
  /// Appends the event as a GeoJSON feature with the properties of the USGS feeds
  /// (https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php), so that it can be read back as a feed.
  func writeFeature(to json: inout JSONWriter) {
    json.raw(#"{"type":"Feature","properties":{"#)
    json.field("mag", magnitude)
    json.field("place", place)
    json.field("time", time)
    json.field("updated", updated)
    json.field("tz", timeZone)
    json.field("url", webAddress)
    json.field("detail", detail.flatMap(Self.webAddress))
    json.field("felt", felt)
    json.field("cdi", reportedIntensity)
    json.field("mmi", estimatedIntensity)
    json.field("alert", alert)
    json.field("status", status)
    json.field("tsunami", tsunami ? 1 : 0)
    json.field("sig", significance)
    json.field("net", net)
    json.field("code", code)
    json.field("ids", ",\(([eventID] + otherIdentifiers).joined(separator: ",")),")
    json.field("sources", sources)
    json.field("types", types)
    json.field("nst", stations)
    json.field("dmin", nearestStation)
    json.field("rms", residual)
    json.field("gap", gap)
    json.field("magType", magnitudeType)
    json.field("type", type)
    json.field("title", title)
    json.raw(#"},"geometry":{"type":"Point","coordinates":["#)
    json.number(longitude)
    json.raw(",")
    json.number(latitude)
    if let depth {
      json.raw(",")
      json.number(depth)
    }
    json.raw(#"]},"id":"#)
    json.string(eventID)
    json.raw("}")
  }
}
