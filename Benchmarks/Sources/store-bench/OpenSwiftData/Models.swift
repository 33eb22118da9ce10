import BenchmarkSupport
import Foundation
import SwiftData
import SwiftDataExtras

@Model @Snapshotable
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

  init(_ row: QuakeRow) {
    code = row.code
    magnitude = row.magnitude
    time = Date(timeIntervalSinceReferenceDate: row.time)
    place = row.place
    longitude = row.longitude
    latitude = row.latitude
    updated = Date(timeIntervalSinceReferenceDate: row.updated)
    felt = row.felt
    alert = row.alert
    status = row.status
    tsunami = row.tsunami
    significance = row.significance
    magnitudeType = row.magnitudeType
    type = row.type
  }
}

@Model
final class Station {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Reading.station) var readings: [Reading] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Reading {
  var value: Double
  var label: String
  var station: Station?

  init(_ value: Double, _ label: String) {
    self.value = value
    self.label = label
  }
}

/// A place to search for, without and with a text index.
@Model
final class PlainPlace {
  var name: String
  init(_ name: String) { self.name = name }
}

@Model
final class IndexedPlace {
  @Attribute(.spotlight) var name: String
  init(_ name: String) { self.name = name }
}

extension Checksum {
  /// Reads every property of a model.
  @inline(__always)
  mutating func add(_ quake: Quake) {
    add(quake.code)
    add(quake.magnitude)
    add(quake.time.timeIntervalSinceReferenceDate)
    add(quake.place)
    add(quake.longitude)
    add(quake.latitude)
    add(quake.updated.timeIntervalSinceReferenceDate)
    add(quake.felt)
    add(quake.alert)
    add(quake.status)
    add(quake.tsunami)
    add(quake.significance)
    add(quake.magnitudeType)
    add(quake.type)
  }

  /// Reads every property of a structure.
  @inline(__always)
  mutating func add(_ quake: Quake.Snapshot) {
    add(quake.code)
    add(quake.magnitude)
    add(quake.time.timeIntervalSinceReferenceDate)
    add(quake.place)
    add(quake.longitude)
    add(quake.latitude)
    add(quake.updated.timeIntervalSinceReferenceDate)
    add(quake.felt)
    add(quake.alert)
    add(quake.status)
    add(quake.tsunami)
    add(quake.significance)
    add(quake.magnitudeType)
    add(quake.type)
  }
}
