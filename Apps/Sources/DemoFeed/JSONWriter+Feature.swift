import WireFormats

extension JSONWriter {
  /// Appends an event as a GeoJSON feature with the 26 properties of the USGS summary feeds, in
  /// their order.
  /// Source: https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php
  /// - Parameters:
  ///   - products: The event and what is known of it.
  ///   - server: The scheme, host and port of the server that has its detail document.
  mutating func feature(_ products: SyntheticProducts, from server: String) {
    let event = products.event
    raw(#"{"type":"Feature","properties":{"mag":"#)
    decimal(event.magnitude, places: 2)
    raw(#","place":"#)
    string(event.place)
    raw(#","time":"#)
    integer(event.time)
    raw(#","updated":"#)
    integer(event.updated)
    raw(#","tz":null,"url":"#)
    string("https://earthquake.usgs.gov/earthquakes/eventpage/" + event.id)
    raw(#","detail":"#)
    string("\(server)\(DetailDocument.folder)\(event.id).geojson")
    raw(#","felt":"#)
    integer(event.felt)
    raw(#","cdi":"#)
    decimal(event.cdi, places: 1)
    raw(#","mmi":null,"alert":"#)
    string(event.alert)
    raw(#","status":"#)
    string(event.status)
    raw(#","tsunami":"#)
    integer(event.tsunami ? 1 : 0)
    raw(#","sig":"#)
    integer(event.significance)
    raw(#","net":"#)
    string(event.net)
    raw(#","code":"#)
    string(event.code)
    identifiers(of: event, products.kinds)
    measurements(of: event)
    raw(#"},"geometry":{"type":"Point","coordinates":["#)
    decimal(event.longitude, places: 4)
    raw(",")
    decimal(event.latitude, places: 4)
    raw(",")
    decimal(event.depth, places: 2)
    raw(#"]},"id":"#)
    string(event.id)
    raw("}")
  }

  private mutating func identifiers(of event: SyntheticEvent, _ kinds: [String]) {
    raw(#","ids":"#)
    string("," + (event.aliases + [event.id]).joined(separator: ",") + ",")
    raw(#","sources":"#)
    string(",\(event.net),")
    raw(#","types":"#)
    string("," + kinds.joined(separator: ",") + ",")
  }

  private mutating func measurements(of event: SyntheticEvent) {
    raw(#","nst":"#)
    integer(event.stations)
    raw(#","dmin":"#)
    decimal(event.distance, places: 3)
    raw(#","rms":"#)
    decimal(event.rms, places: 2)
    raw(#","gap":"#)
    integer(event.gap)
    raw(#","magType":"#)
    string(event.magnitudeType)
    raw(#","type":"#)
    string(event.type)
    raw(#","title":"#)
    string(title(of: event))
  }

  private func title(of event: SyntheticEvent) -> String {
    let magnitude = event.magnitude.map { hundredths in
      let tenths = (Double(hundredths) / 10).rounded()
      return "M " + String(tenths / 10)
    }
    return "\(magnitude ?? "M ?") - \(event.place ?? "")"
  }
}
