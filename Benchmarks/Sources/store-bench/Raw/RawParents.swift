import BenchmarkSupport
import CSQLiteDirect
import Foundation

/// Parents with children, for traversals and cascades.
enum RawParents {
  /// The number of children of each parent.
  static let children = 20
  /// The number of children of each parent that is deleted.
  static let deletedChildren = 3

  static func create(_ place: Place, parents: Int, children: Int) throws {
    let database = try RawDatabase(place.file)
    try database.execute(
      """
      CREATE TABLE station (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE reading (
        id INTEGER PRIMARY KEY, value REAL NOT NULL, label TEXT NOT NULL,
        station INTEGER REFERENCES station (id) ON DELETE CASCADE);
      CREATE INDEX reading_station ON reading (station);
      BEGIN
      """)
    let station = try database.prepare("INSERT INTO station (id, name) VALUES (?1, ?2)")
    let reading = try database.prepare(
      "INSERT INTO reading (value, label, station) VALUES (?1, ?2, ?3)")
    for number in 0..<parents {
      station.bind(number + 1, at: 1)
      try station.withText("station \(number)", at: 2) { _ = try station.step() }
      station.reset()
      for child in 0..<children {
        reading.bind(Double(number * children + child), at: 1)
        reading.bind(number + 1, at: 3)
        try reading.withText("reading \(child)", at: 2) { _ = try reading.step() }
        reading.reset()
      }
    }
    try database.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  final class Station {
    let name: String
    var readings: [Reading] = []
    init(_ name: String) { self.name = name }
  }

  final class Reading {
    let value: Double
    let label: String
    init(_ value: Double, _ label: String) {
      self.value = value
      self.label = label
    }
  }

  /// W10: one join.
  static let walk = Trial("stations-raw") { place in
    let database = try RawDatabase(place.file)
    let statement = try database.prepare(
      "SELECT s.id, s.name, r.value, r.label FROM station AS s JOIN reading AS r ON r.station = s.id ORDER BY s.id"
    )
    return Run(reading: {
      var stations: [Station] = []
      var last = 0
      while try statement.step() {
        let id = statement.int(0)
        if id != last {
          stations.append(Station(statement.text(1)))
          last = id
        }
        stations[stations.count - 1].readings.append(
          Reading(statement.double(2), statement.text(3)))
      }
      var sum = Checksum()
      for station in stations {
        sum.add(station.name)
        for reading in station.readings {
          sum.add(reading.value)
          sum.add(reading.label)
        }
      }
      return sum
    })
  }

  /// W9: deletes parents one by one; the database deletes their children.
  static let cascade = Trial("parents-raw") { place in
    let database = try RawDatabase(place.file)
    let statement = try database.prepare("DELETE FROM station WHERE id = ?1")
    return Run(
      work: {
        try database.execute("BEGIN IMMEDIATE")
        for id in 1...Lookups.edits(place.rows) {
          statement.bind(id, at: 1)
          _ = try statement.step()
          statement.reset()
        }
        try database.execute("COMMIT")
      }, checksum: { try left(place.file, "station", "reading") })
  }

  /// Returns a checksum of the numbers of rows that remain.
  static func left(_ file: URL, _ parents: String, _ children: String) throws -> UInt64 {
    let database = try RawDatabase(file)
    let count = try database.integer(
      "SELECT (SELECT count(*) FROM \"\(parents)\") * 1000 + (SELECT count(*) FROM \"\(children)\")"
    )
    return UInt64(count)
  }
}
