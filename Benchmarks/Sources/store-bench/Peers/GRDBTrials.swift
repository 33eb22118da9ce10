import BenchmarkSupport
import Foundation
import GRDB

/// An event as a handwritten record, as in GRDB's documentation.
struct GRDBQuake: FetchableRecord, PersistableRecord {
  static let databaseTableName = "quake"
  var id: Int64?
  var row: QuakeRow

  init(_ row: QuakeRow) { self.row = row }

  init(row: Row) throws {
    id = row[0]
    self.row = QuakeRow(
      code: row[1], magnitude: row[2], time: row[3], place: row[4], longitude: row[5],
      latitude: row[6],
      updated: row[7], felt: row[8], alert: row[9], status: row[10], tsunami: row[11],
      significance: row[12], magnitudeType: row[13], type: row[14])
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["code"] = row.code
    container["magnitude"] = row.magnitude
    container["time"] = row.time
    container["place"] = row.place
    container["longitude"] = row.longitude
    container["latitude"] = row.latitude
    container["updated"] = row.updated
    container["felt"] = row.felt
    container["alert"] = row.alert
    container["status"] = row.status
    container["tsunami"] = row.tsunami
    container["sig"] = row.significance
    container["magType"] = row.magnitudeType
    container["type"] = row.type
  }
}

/// The same event as a Codable record.
struct CodableQuake: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "quake"
  var id: Int64?
  var code: String
  var magnitude: Double?
  var time: Double
  var place: String?
  var longitude: Double
  var latitude: Double
  var updated: Double
  var felt: Int?
  var alert: String?
  var status: String
  var tsunami: Bool
  var sig: Int
  var magType: String?
  var type: String

  init(_ row: QuakeRow) {
    code = row.code
    magnitude = row.magnitude
    time = row.time
    place = row.place
    longitude = row.longitude
    latitude = row.latitude
    updated = row.updated
    felt = row.felt
    alert = row.alert
    status = row.status
    tsunami = row.tsunami
    sig = row.significance
    magType = row.magnitudeType
    type = row.type
  }

  var row: QuakeRow {
    QuakeRow(
      code: code, magnitude: magnitude, time: time, place: place, longitude: longitude,
      latitude: latitude,
      updated: updated, felt: felt, alert: alert, status: status, tsunami: tsunami,
      significance: sig,
      magnitudeType: magType, type: type)
  }
}

/// GRDB on the same table with the same pragmas.
enum GRDBTrials {
  private static func open(_ place: Place) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    return try DatabaseQueue(path: place.file.path, configuration: configuration)
  }

  private static func openEmpty(_ place: Place) throws -> DatabaseQueue {
    let queue = try open(place)
    try queue.write { try $0.execute(sql: RawQuakes.schema) }
    return queue
  }

  private static let selection = "SELECT id, \(RawQuakes.columns) FROM quake"

  private static func inserting(
    _ dataset: String?, revisedOneIn: Int? = nil,
    _ write: @escaping @Sendable ([QuakeRow], Database) throws -> Void
  ) -> Trial {
    Trial(dataset) { place in
      let rows = Array(QuakeRows(place.rows, revisedOneIn: revisedOneIn))
      let queue = try dataset == nil ? openEmpty(place) : open(place)
      return Run(
        work: { try await queue.write { try write(rows, $0) } },
        checksum: {
          try queue.close()
          return try RawQuakes.checksum(place.file)
        })
    }
  }

  // W1, W3
  static let records = inserting(nil) { for row in $0 { try GRDBQuake(row).insert($1) } }
  static let codableRecords = inserting(nil) { for row in $0 { try CodableQuake(row).insert($1) } }
  static let statement = inserting(nil) { try execute(RawQuakes.insertion, $0, $1) }
  // W2
  static let recordUpsert = inserting("quakes-raw", revisedOneIn: 10) {
    for row in $0 { try GRDBQuake(row).upsert($1) }
  }
  static let statementUpsert = inserting("quakes-raw", revisedOneIn: 10) {
    try execute(RawQuakes.upsert, $0, $1)
  }

  private static func execute(_ sql: String, _ rows: [QuakeRow], _ database: Database) throws {
    let statement = try database.makeStatement(sql: sql)
    for row in rows {
      try statement.execute(arguments: [
        row.code, row.magnitude, row.time, row.place, row.longitude, row.latitude, row.updated,
        row.felt, row.alert, row.status, row.tsunami, row.significance, row.magnitudeType, row.type,
      ])
    }
  }

  private static func reading(
    _ read: @escaping @Sendable (Database, Place) throws -> Checksum
  ) -> Trial {
    Trial("quakes-raw") { place in
      let queue = try open(place)
      return Run(reading: { try await queue.read { try read($0, place) } })
    }
  }

  // W4, W5
  static let fetchRecords = reading { database, _ in
    var sum = Checksum()
    for quake in try GRDBQuake.fetchAll(database, sql: selection) { sum.add(quake.row) }
    return sum
  }
  static let fetchCodable = reading { database, _ in
    var sum = Checksum()
    for quake in try CodableQuake.fetchAll(database) { sum.add(quake.row) }
    return sum
  }

  // W6
  static let lookups = Trial("quakes-raw") { place in
    let codes = Lookups.codes(place)
    let queue = try open(place)
    return Run(reading: {
      var sum = Checksum()
      for code in codes {
        let quake = try await queue.read { database in
          try GRDBQuake.filter(Column("code") == code).fetchOne(database)
        }
        if let quake { sum.add(quake.row) }
      }
      return sum
    })
  }

  static let cachedLookups = Trial("quakes-raw") { place in
    let codes = Lookups.codes(place)
    let queue = try open(place)
    return Run(reading: {
      try await queue.read { database in
        var sum = Checksum()
        let statement = try database.cachedStatement(sql: selection + " WHERE code = ?")
        for code in codes {
          if let quake = try GRDBQuake.fetchOne(statement, arguments: [code]) { sum.add(quake.row) }
        }
        return sum
      }
    })
  }

  // W7
  static let ranges = Trial("quakes-raw") { place in
    let times = Lookups.times(place.rows)
    let queue = try open(place)
    return Run(reading: {
      var sum = Checksum()
      for time in times {
        let page = try await queue.read { database in
          try GRDBQuake.filter(Column("time") >= time).order(Column("time")).limit(100).fetchAll(
            database)
        }
        for quake in page { sum.add(quake.row) }
      }
      return sum
    })
  }

  static let cachedRanges = Trial("quakes-raw") { place in
    let times = Lookups.times(place.rows)
    let queue = try open(place)
    return Run(reading: {
      try await queue.read { database in
        var sum = Checksum()
        let statement = try database.cachedStatement(
          sql: selection + " WHERE time >= ? ORDER BY time LIMIT 100")
        for time in times {
          for quake in try GRDBQuake.fetchAll(statement, arguments: [time]) { sum.add(quake.row) }
        }
        return sum
      }
    })
  }

  private static func editing(
    _ write: @escaping @Sendable (GRDBQuake, Database) throws -> Void
  ) -> Trial {
    Trial("quakes-raw") { place in
      let queue = try open(place)
      let quakes = try await queue.read { database in
        try GRDBQuake.fetchAll(database, sql: selection + " LIMIT \(Lookups.edits(place.rows))")
      }
      return Run(
        work: {
          try await queue.write { database in
            for var quake in quakes {
              quake.row.magnitude = (quake.row.magnitude ?? 0) + 1
              quake.row.updated += 60
              try write(quake, database)
            }
          }
        },
        checksum: {
          try queue.close()
          return try RawQuakes.checksum(place.file)
        })
    }
  }

  // W8
  static let edits = editing { try $0.update($1, columns: ["magnitude", "updated"]) }
  static let cachedEdits = editing { quake, database in
    try database.cachedStatement(
      sql: "UPDATE quake SET magnitude = ?, updated = ? WHERE id = ?"
    ).execute(arguments: [quake.row.magnitude, quake.row.updated, quake.id])
  }
}
