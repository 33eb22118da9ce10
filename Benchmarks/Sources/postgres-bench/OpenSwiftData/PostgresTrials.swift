import BenchmarkSupport
import Foundation
import SwiftData
import SwiftDataExtras
import SwiftDataPostgres

/// This library on PostgreSQL, used as its documentation recommends.
enum PostgresTrials {
  private static let name = "bench_models"

  private static func container(
    _ name: String = name, connections: Int = 8, _ types: any PersistentModel.Type...
  ) throws -> ModelContainer {
    var configuration = PostgresConfiguration(name, url: try RawPostgres.url)
    configuration.maximumConnectionCount = connections
    // Many threads wait for few processors here.
    configuration.acquisitionTimeout = 60
    return try ModelContainer(for: Schema(types), configurations: [configuration])
  }

  /// A new, empty store.
  private static func empty() throws -> ModelContainer {
    try drop(name)
    return try container(name, Quake.self)
  }

  private static func drop(_ name: String) throws {
    try RawPostgres(schema: "public").execute("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE")
  }

  private static func filled(_ rows: Int) throws -> ModelContainer {
    let container = try empty()
    try container.batchInsert(QuakeRows(rows).lazy.map(Quake.init))
    try RawPostgres(schema: name).execute("ANALYZE \"Quake\"")
    return container
  }

  private static func checksum() throws -> UInt64 {
    try RawTables.checksum(name, table: "Quake", significance: "significance")
  }

  /// P1
  static let batchInsert = Trial(nil) { place in
    let rows = Array(QuakeRows(place.rows))
    let container = try empty()
    return Run(
      work: { try container.batchInsert(rows.lazy.map(Quake.init)) }, checksum: { try checksum() })
  }

  /// P2
  static let batchUpsert = Trial(nil) { place in
    let rows = Array(QuakeRows(place.rows, revisedOneIn: 10))
    let container = try filled(place.rows)
    return Run(
      work: { try container.batchInsert(rows.lazy.map(Quake.init)) }, checksum: { try checksum() })
  }

  /// P3
  static func insertAndSave(_ count: @escaping @Sendable (Int) -> Int) -> Trial {
    Trial(nil) { place in
      let rows = Array(QuakeRows(count(place.rows)))
      let context = ModelContext(try empty())
      return Run(
        work: {
          for row in rows { context.insert(Quake(row)) }
          try context.save()
        }, checksum: { try checksum() })
    }
  }

  /// P4
  static let snapshots = Trial(nil) { place in
    let container = try filled(place.rows)
    return Run(reading: {
      var sum = Checksum()
      for quake in try container.snapshots(FetchDescriptor<Quake>()) { sum.add(quake) }
      return sum
    })
  }

  /// P4 as models.
  static let models = Trial(nil) { place in
    let context = ModelContext(try filled(place.rows))
    return Run(reading: {
      var sum = Checksum()
      for quake in try context.fetch(FetchDescriptor<Quake>()) { sum.add(quake) }
      return sum
    })
  }

  /// P5
  static let lookups = Trial(nil) { place in
    let codes = Lookups.codes(place)
    let context = ModelContext(try filled(place.rows))
    return Run(reading: {
      var sum = Checksum()
      for code in codes {
        var descriptor = FetchDescriptor<Quake>(predicate: #Predicate { $0.code == code })
        descriptor.fetchLimit = 1
        if let quake = try context.fetch(descriptor).first { sum.add(quake) }
      }
      return sum
    })
  }

  /// P6: all at once.
  static let listedLookups = Trial(nil) { place in
    let codes = Array(Set(Lookups.codes(place)))
    let context = ModelContext(try filled(place.rows))
    return Run(reading: {
      var sum = Checksum()
      let descriptor = FetchDescriptor<Quake>(predicate: #Predicate { codes.contains($0.code) })
      for quake in try context.fetch(descriptor) { sum.add(quake) }
      return sum
    })
  }

  /// P7, P8
  static func saves(connections count: Int, stores: Int = 1) -> Trial {
    Trial(nil) { place in
      let names = (0..<stores).map { "\(name)_\($0)" }
      for name in names { try drop(name) }
      let containers = try names.map {
        try container($0, connections: count / stores, Station.self, Reading.self)
      }
      return try Saves.run(
        place.rows, connections: count, checksum: { try Saves.checksum(names, table: "Reading") }
      ) { thread, numbers in
        let context = ModelContext(containers[thread % stores])
        for number in numbers {
          context.insert(Reading(Double(number), "reading \(number)"))
          try context.save()
        }
      }
    }
  }
}
