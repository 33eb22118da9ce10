import WireFormats

/// The detail document of an event and the files of its products.
/// Source: https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson_detail.php
struct DetailDocument {
  /// A file that the demo serves.
  enum File: Hashable {
    case document
    case contours
    case towns
  }

  /// The folders of the documents and of the products' files, as on earthquake.usgs.gov.
  static let folder = "/earthquakes/feed/v1.0/detail/"
  static let products = "/product/"

  let products: SyntheticProducts
  /// The scheme, host and port of this server.
  let server: String

  /// Returns the file that a path names, and the identifier of its event.
  static func file(_ path: String) -> (file: File, event: String)? {
    if path.hasPrefix(folder), path.hasSuffix(".geojson") {
      return (.document, String(path.dropFirst(folder.count).dropLast(".geojson".count)))
    }
    // /product/shakemap/EVENT/us/TIME/download/cont_mmi.json
    guard path.hasPrefix(products) else { return nil }
    let parts = path.dropFirst(products.count).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 4, Int(parts[3]) != nil else { return nil }
    switch (parts[0], parts.dropFirst(4).joined(separator: "/")) {
    case ("shakemap", "download/cont_mmi.json"): return (.contours, String(parts[1]))
    case ("nearby-cities", "nearby-cities.json"): return (.towns, String(parts[1]))
    default: return nil
    }
  }

  /// Returns the bytes of a file; nil when the event has no such product.
  func bytes(_ file: File) -> [UInt8]? {
    var json = JSONWriter()
    switch file {
    case .document: write(to: &json)
    case .towns: writeTowns(to: &json)
    case .contours:
      guard products.hasShaking else { return nil }
      writeContours(to: &json)
    }
    return json.bytes
  }

  // MARK: The document

  private func write(to json: inout JSONWriter) {
    let event = products.event
    json.raw(#"{"type":"Feature","id":"#)
    json.string(event.id)
    json.raw(#","properties":{"mag":"#)
    json.decimal(event.magnitude, places: 2)
    json.raw(#","place":"#)
    json.string(event.place)
    json.raw(#","time":"#)
    json.integer(event.time)
    json.raw(#","updated":"#)
    json.integer(event.updated)
    json.raw(#","ids":"#)
    json.string("," + (event.aliases + [event.id]).joined(separator: ",") + ",")
    json.raw(#","types":"#)
    json.string("," + products.kinds.joined(separator: ",") + ",")
    json.raw(#","products":{"#)
    for (position, kind) in products.kinds.enumerated() {
      if position > 0 { json.raw(",") }
      json.string(kind)
      json.raw(":[")
      write(kind, to: &json)
      json.raw("]")
    }
    json.raw(#"}},"geometry":{"type":"Point","coordinates":["#)
    json.decimal(event.longitude, places: 4)
    json.raw(",")
    json.decimal(event.latitude, places: 4)
    json.raw(",")
    json.decimal(event.depth, places: 2)
    json.raw("]}}")
  }

  private func write(_ kind: String, to json: inout JSONWriter) {
    let event = products.event
    let source = kind == "dyfi" || kind == "losspager" ? "us" : event.net
    json.raw(#"{"indexid":"1","type":"#)
    json.string(kind)
    json.raw(#","code":"#)
    json.string(event.id)
    json.raw(#","source":"#)
    json.string(source)
    json.raw(#","updateTime":"#)
    json.integer(event.updated)
    json.raw(#","status":"UPDATE","preferredWeight":"#)
    json.integer(kind == "origin" ? 157 : 6)
    json.raw(#","properties":{"#)
    for (position, (name, value)) in properties(of: kind).enumerated() {
      if position > 0 { json.raw(",") }
      json.string(name)
      json.raw(":")
      json.string(value)
    }
    json.raw(#"},"contents":{"#)
    if let (path, type) = Self.contents[kind] {
      json.string(path)
      json.raw(#":{"contentType":"#)
      json.string(type)
      json.raw(#","lastModified":"#)
      json.integer(event.updated)
      json.raw(#","url":"#)
      json.string(
        "\(server)\(Self.products)\(kind)/\(event.id)/\(source)/\(event.updated)/\(path)")
      json.raw("}")
    }
    json.raw("}}")
  }

  private static let contents: [String: (path: String, type: String)] = [
    "shakemap": ("download/cont_mmi.json", "application/json"),
    "nearby-cities": ("nearby-cities.json", "application/json"),
  ]

  private func properties(of kind: String) -> [(String, String)] {
    let event = products.event
    switch kind {
    case "dyfi":
      return [
        ("maxmmi", "\(Double(event.cdi ?? 20) / 10)"), ("num-responses", "\(event.felt ?? 0)"),
        ("numResp", "\(event.felt ?? 0)"),
      ]
    case "shakemap": return [("maxmmi", Self.text(products.maximumIntensity, 1))]
    case "losspager":
      return [
        ("alertlevel", products.alert ?? ""), ("maxmmi", Self.text(products.maximumIntensity, 1)),
      ]
    case "moment-tensor":
      return products.tensor.map { ("tensor-" + $0.name, "\($0.value)") } + planes + [
        ("scalar-moment", "\(products.moment)"),
        ("derived-magnitude", Self.text(Double(event.magnitude ?? 0) / 100, 2)),
        ("derived-magnitude-type", (event.magnitude ?? 0) >= 600 ? "Mww" : "Mwr"),
        ("percent-double-couple", "1.0"), ("beachball-source", event.net),
      ]
    case "focal-mechanism": return planes
    case "origin":
      return [
        ("horizontal-error", "\(Double(event.rms) / 100)"), ("review-status", event.status),
      ]
    default: return []
    }
  }

  private var planes: [(String, String)] {
    products.planes.enumerated().flatMap { number, plane in
      [
        ("nodal-plane-\(number + 1)-strike", "\(plane.strike)"),
        ("nodal-plane-\(number + 1)-dip", "\(plane.dip)"),
        ("nodal-plane-\(number + 1)-rake", "\(plane.rake)"),
      ]
    }
  }

  private static func text(_ value: Double, _ places: Int) -> String {
    var json = JSONWriter()
    let factor = places == 1 ? 10.0 : 100
    json.decimal(Int((value * factor).rounded()), places: places)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  // MARK: Files

  private func writeTowns(to json: inout JSONWriter) {
    json.raw("[")
    for (position, near) in products.towns.enumerated() {
      if position > 0 { json.raw(",") }
      json.raw(#"{"distance":"#)
      json.integer(Int(near.distance.rounded()))
      json.raw(#","direction":"#)
      json.string(near.direction)
      json.raw(#","name":"#)
      json.string(near.town.name)
      json.raw(#","latitude":"#)
      json.number(near.town.latitude)
      json.raw(#","longitude":"#)
      json.number(near.town.longitude)
      json.raw(#","population":"#)
      json.integer(near.population)
      json.raw("}")
    }
    json.raw("]")
  }

  private func writeContours(to json: inout JSONWriter) {
    json.raw(#"{"type":"FeatureCollection","features":["#)
    for (position, ring) in products.rings.enumerated() {
      if position > 0 { json.raw(",") }
      json.raw(#"{"type":"Feature","geometry":{"type":"MultiLineString","coordinates":[["#)
      for (position, point) in ring.points.enumerated() {
        if position > 0 { json.raw(",") }
        json.raw("[")
        json.decimal(Int((point.longitude * 10_000).rounded()), places: 4)
        json.raw(",")
        json.decimal(Int((point.latitude * 10_000).rounded()), places: 4)
        json.raw("]")
      }
      json.raw(#"]]},"properties":{"value":"#)
      json.number(ring.intensity)
      json.raw(#","units":"mmi","color":"#)
      json.string(Self.colours[min(10, Int(ring.intensity))])
      json.raw(#","weight":"#)
      json.integer(ring.intensity.rounded() == ring.intensity ? 4 : 2)
      json.raw("}}")
    }
    json.raw("]}")
  }

  /// The colours of the ShakeMaps, by intensity.
  private static let colours = [
    "#ffffff", "#ffffff", "#bfccff", "#a0e6ff", "#80ffff", "#7aff93", "#ffff00", "#ffc800",
    "#ff9100", "#ff0000", "#c80000",
  ]
}
