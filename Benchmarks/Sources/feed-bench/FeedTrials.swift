import BenchmarkSupport
import Foundation
import LocalCopy
import SwiftData

@Model
final class Quake {
  #Index<Quake>([\.time])

  @Attribute(.unique) var code: String
  var magnitude: Double?
  var time: Date
  var place: String?
  var longitude: Double
  var latitude: Double
  var updated: Date
  var felt: Int?
  var alert: String?
  var status: String
  var tsunami: Bool
  var significance: Int
  var magnitudeType: String?
  var type: String

  init(_ feature: WantedFeature) {
    let properties = feature.properties
    code = feature.id
    magnitude = properties.mag
    time = Date(timeIntervalSince1970: properties.time / 1_000)
    place = properties.place
    longitude = feature.geometry.coordinates[0]
    latitude = feature.geometry.coordinates[1]
    updated = Date(timeIntervalSince1970: properties.updated / 1_000)
    felt = properties.felt
    alert = properties.alert
    status = properties.status
    tsunami = properties.tsunami != 0
    significance = properties.sig
    magnitudeType = properties.magType
    type = properties.type
  }
}

/// An event as the feeds have it.
struct Feature: Codable, Sendable {
  struct Properties: Codable, Sendable {
    var mag: Double?
    var place: String?
    var time: Double
    var updated: Double
    var felt: Int?
    var alert: String?
    var status: String
    var tsunami: Int
    var sig: Int
    var magType: String?
    var type: String
    // Members that feeds also have, so that a reader has to skip them.
    var tz: Int?
    var url: String
    var detail: String
    var net: String
    var code: String
    var ids: String
    var sources: String
    var types: String
    var nst: Int?
    var dmin: Double?
    var rms: Double?
    var gap: Double?
    var title: String
  }

  struct Geometry: Codable, Sendable {
    var type: String
    var coordinates: [Double]
  }

  var type: String
  var properties: Properties
  var geometry: Geometry
  var id: String
}

/// The members of a feature that the benchmark needs.
@FeedElement
struct WantedFeature: Decodable, Sendable {
  @FeedElement
  struct Properties: Decodable, Sendable {
    var mag: Double?
    var place: String?
    var time: Double
    var updated: Double
    var felt: Int?
    var alert: String?
    var status: String
    var tsunami: Int
    var sig: Int
    var magType: String?
    var type: String
  }

  @FeedElement
  struct Geometry: Decodable, Sendable {
    var coordinates: [Double]
  }

  var properties: Properties
  var geometry: Geometry
  var id: String
}

enum FeedTrials {
  struct Collection: Decodable { var features: [WantedFeature] }

  /// A configuration that accepts feeds of any size.
  static var configuration: LocalCopyConfiguration {
    var configuration = LocalCopyConfiguration()
    configuration.http.maximumWireBytes = .max
    configuration.http.maximumDecodedBytes = .max
    return configuration
  }

  static func feed(_ place: Place) -> URL { place.folder.appending(path: "feed.geojson") }

  /// Writes a feed, one feature at a time because the feed may be large.
  static func create(_ place: Place) throws {
    let file = feed(place)
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    let encoder = JSONEncoder()
    var text = Data(
      #"{"type":"FeatureCollection","metadata":{"generated":1,"count":\#(place.rows)},"features":["#
        .utf8)
    for (number, row) in QuakeRows(place.rows).enumerated() {
      if number > 0 { text.append(UInt8(ascii: ",")) }
      text.append(try encoder.encode(Feature(row)))
      if text.count > 1 << 20 {
        try handle.write(contentsOf: text)
        text.removeAll(keepingCapacity: true)
      }
    }
    text.append(Data("]}".utf8))
    try handle.write(contentsOf: text)
    try handle.close()
  }

  private static func checksum(_ place: Place, _ table: String) throws -> UInt64 {
    let database = try RawDatabase(place.file)
    let sum = try database.integer(
      "SELECT count(*) * 1000003 + ifnull(sum(length(place)), 0) + CAST(total(magnitude) * 1000 AS INTEGER)"
        + " FROM \"\(table)\"")
    return UInt64(bitPattern: Int64(sum))
  }

  /// The baseline: JSONDecoder decodes the whole document, then the rows are inserted one by one.
  static let decoder = Trial("feed") { place in
    let database = try RawDatabase(place.file)
    try database.execute(schema)
    return Run(
      work: {
        let features = try JSONDecoder().decode(
          Collection.self, from: Data(contentsOf: feed(place))
        ).features
        try insert(features, into: database)
      }, checksum: { try checksum(place, "quake") })
  }

  /// The same through a local copy.
  static let copy = Trial("feed") { place in
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(url: place.file))
    let copy = try LocalCopy(
      of: FeedSource(feed(place)), elements: "features", decode: WantedFeature.self,
      into: container,
      configuration: configuration
    ) { Quake($0) }
    return Run(
      work: { _ = try await copy.refresh(force: true) }, checksum: { try checksum(place, "Quake") })
  }

  private static let columns =
    "code, magnitude, time, place, longitude, latitude, updated, felt, alert, status, tsunami, sig, magType, type"

  private static let schema = """
    CREATE TABLE quake (
      id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, magnitude REAL, time REAL NOT NULL, place TEXT,
      longitude REAL NOT NULL, latitude REAL NOT NULL, updated REAL NOT NULL, felt INTEGER, alert TEXT,
      status TEXT NOT NULL, tsunami INTEGER NOT NULL, sig INTEGER NOT NULL, magType TEXT, type TEXT NOT NULL);
    CREATE INDEX quake_time ON quake (time)
    """

  private static func insert(_ features: [WantedFeature], into database: RawDatabase) throws {
    try database.execute("BEGIN IMMEDIATE")
    let statement = try database.prepare(
      "INSERT INTO quake (\(columns)) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)")
    for feature in features {
      let properties = feature.properties
      statement.bind(properties.mag, at: 2)
      statement.bind(properties.time / 1_000 - Date.timeIntervalBetween1970AndReferenceDate, at: 3)
      statement.bind(feature.geometry.coordinates[0], at: 5)
      statement.bind(feature.geometry.coordinates[1], at: 6)
      statement.bind(
        properties.updated / 1_000 - Date.timeIntervalBetween1970AndReferenceDate, at: 7)
      statement.bind(properties.felt, at: 8)
      statement.bind(properties.tsunami, at: 11)
      statement.bind(properties.sig, at: 12)
      try statement.withText(feature.id, at: 1) {
        try statement.withText(properties.place, at: 4) {
          try statement.withText(properties.alert, at: 9) {
            try statement.withText(properties.status, at: 10) {
              try statement.withText(properties.magType, at: 13) {
                try statement.withText(properties.type, at: 14) { _ = try statement.step() }
              }
            }
          }
        }
      }
      statement.reset()
    }
    try database.execute("COMMIT")
  }
}

extension Feature {
  init(_ row: QuakeRow) {
    let network = String(row.code.prefix(2))
    let code = String(row.code.dropFirst(2))
    func milliseconds(_ seconds: Double) -> Double {
      ((seconds + Date.timeIntervalBetween1970AndReferenceDate) * 1_000).rounded()
    }
    let page = "https://earthquake.usgs.gov/earthquakes"
    type = "Feature"
    properties = Properties(
      mag: row.magnitude, place: row.place, time: milliseconds(row.time),
      updated: milliseconds(row.updated), felt: row.felt, alert: row.alert, status: row.status,
      tsunami: row.tsunami ? 1 : 0, sig: row.significance, magType: row.magnitudeType,
      type: row.type,
      tz: nil, url: "\(page)/eventpage/\(row.code)",
      detail: "\(page)/feed/v1.0/detail/\(row.code).geojson", net: network, code: code,
      ids: ",\(row.code),", sources: ",\(network),", types: ",origin,phase-data,", nst: 19,
      dmin: 0.07613,
      rms: 0.13, gap: 69, title: "M \(row.magnitude ?? 0) - \(row.place ?? "unknown")")
    geometry = Geometry(type: "Point", coordinates: [row.longitude, row.latitude, 6.25])
    id = row.code
  }
}
