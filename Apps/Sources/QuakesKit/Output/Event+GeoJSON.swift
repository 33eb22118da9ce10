import WireFormats

extension Event {
  /// Appends the event as a GeoJSON feature with the property names of the USGS feeds, so that it
  /// can be read back as a feed.
  func writeFeature(to json: inout JSONWriter) {
    json.raw(#"{"type":"Feature","properties":{"mag":"#)
    json.number(magnitude)
    json.raw(#","place":"#)
    json.string(place)
    json.raw(#","time":"#)
    json.time(time)
    json.raw(#","updated":"#)
    json.time(updated)
    json.raw(#","url":"#)
    json.string(webAddress)
    json.raw(#","felt":"#)
    json.integer(felt)
    json.raw(#","alert":"#)
    json.string(alert)
    json.raw(#","status":"#)
    json.string(status)
    json.raw(#","tsunami":"#)
    json.integer(tsunami ? 1 : 0)
    json.raw(#","sig":"#)
    json.integer(significance)
    json.raw(#","magType":"#)
    json.string(magnitudeType)
    json.raw(#","type":"#)
    json.string(type)
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
