import BenchmarkSupport
import Foundation
import SwiftData
import SwiftDataExtras

/// This library, used as its documentation recommends.
enum SwiftDataTrials {
  static func container(_ place: Place) throws -> ModelContainer {
    try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(url: place.file))
  }

  static func create(_ place: Place) throws {
    let container = try container(place)
    try container.batchInsert(QuakeRows(place.rows).lazy.map(Quake.init))
  }

  private static func checksum(_ place: Place) throws -> UInt64 {
    try RawQuakes.checksum(place.file, table: "Quake", significance: "significance")
  }

  /// W1
  static let batchInsert = Trial(nil) { place in
    let rows = Array(QuakeRows(place.rows))
    let container = try container(place)
    return Run(
      work: { try container.batchInsert(rows.lazy.map(Quake.init)) },
      checksum: { try checksum(place) })
  }

  /// W2
  static let batchUpsert = Trial("quakes-swiftdata") { place in
    let rows = Array(QuakeRows(place.rows, revisedOneIn: 10))
    let container = try container(place)
    return Run(
      work: { try container.batchInsert(rows.lazy.map(Quake.init)) },
      checksum: { try checksum(place) })
  }

  /// W3
  static let insertAndSave = Trial(nil) { place in
    let rows = Array(QuakeRows(place.rows))
    let context = ModelContext(try container(place))
    return Run(
      work: {
        for row in rows { context.insert(Quake(row)) }
        try context.save()
      }, checksum: { try checksum(place) })
  }

  /// W4
  static let fetchModels = Trial("quakes-swiftdata") { place in
    let context = ModelContext(try container(place))
    return Run(reading: {
      var sum = Checksum()
      for quake in try context.fetch(FetchDescriptor<Quake>()) { sum.add(quake) }
      return sum
    })
  }

  /// W5
  static let fetchSnapshots = Trial("quakes-swiftdata") { place in
    let container = try container(place)
    return Run(reading: {
      var sum = Checksum()
      for quake in try container.snapshots(FetchDescriptor<Quake>()) { sum.add(quake) }
      return sum
    })
  }

  private static func lookUp(_ codes: [String], _ context: ModelContext) throws -> Checksum {
    var sum = Checksum()
    for code in codes {
      var descriptor = FetchDescriptor<Quake>(predicate: #Predicate { $0.code == code })
      descriptor.fetchLimit = 1
      if let quake = try context.fetch(descriptor).first { sum.add(quake) }
    }
    return sum
  }

  /// W6, with no registered models.
  static let coldLookups = Trial("quakes-swiftdata") { place in
    let codes = Lookups.codes(place)
    let context = ModelContext(try container(place))
    return Run(reading: { try lookUp(codes, context) })
  }

  /// W6 in a context that already has the models registered: by identifier, as an application would
  /// keep them.
  static let warmLookups = Trial("quakes-swiftdata") { place in
    let codes = Lookups.codes(place)
    let context = ModelContext(try container(place))
    let wanted = Set(codes)
    let quakes = try context.fetch(FetchDescriptor<Quake>()).filter { wanted.contains($0.code) }
    let identifiers = Dictionary(
      uniqueKeysWithValues: quakes.map { ($0.code, $0.persistentModelID) })
    let order = codes.compactMap { identifiers[$0] }
    return Run(reading: {
      var sum = Checksum()
      for identifier in order {
        if let quake: Quake = context.registeredModel(for: identifier) { sum.add(quake) }
      }
      withExtendedLifetime(quakes) {}
      return sum
    })
  }

  /// W7
  static let ranges = Trial("quakes-swiftdata") { place in
    let times = Lookups.times(place.rows).map { Date(timeIntervalSinceReferenceDate: $0) }
    let context = ModelContext(try container(place))
    return Run(reading: {
      var sum = Checksum()
      for time in times {
        var descriptor = FetchDescriptor<Quake>(
          predicate: #Predicate { $0.time >= time }, sortBy: [SortDescriptor(\.time)])
        descriptor.fetchLimit = 100
        for quake in try context.fetch(descriptor) { sum.add(quake) }
      }
      return sum
    })
  }

  /// W8
  static let edits = Trial("quakes-swiftdata") { place in
    let context = ModelContext(try container(place))
    var descriptor = FetchDescriptor<Quake>()
    descriptor.fetchLimit = Lookups.edits(place.rows)
    let quakes = try context.fetch(descriptor)
    return Run(
      work: {
        for quake in quakes {
          quake.magnitude = (quake.magnitude ?? 0) + 1
          quake.updated += 60
        }
        try context.save()
      }, checksum: { try checksum(place) })
  }

  /// W11
  static let aggregates = Trial("quakes-swiftdata") { place in
    let context = ModelContext(try container(place))
    return Run(reading: {
      var sum = Checksum()
      for step in 0..<10 {
        let least = Double(step) / 2
        let strong = #Predicate<Quake> { ($0.magnitude ?? -100) > least }
        sum.add(try context.fetchCount(FetchDescriptor(predicate: strong)))
        sum.add(try context.sum(of: \Quake.significance, where: strong))
      }
      for group in try context.groups(of: Quake.self, by: \.type, .count, .maximum(\.significance))
      {
        let (count, largest) = group.values
        sum.add(group.key)
        sum.add(count)
        sum.add(largest ?? 0)
      }
      return sum
    })
  }

  /// W14
  static let opening = Trial("quakes-swiftdata") { place in
    Run(reading: {
      let context = ModelContext(try container(place))
      var descriptor = FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.time, order: .reverse)])
      descriptor.fetchLimit = 100
      var sum = Checksum()
      for quake in try context.fetch(descriptor) { sum.add(quake) }
      return sum
    })
  }

  // MARK: - Relationships

  static func stations(_ place: Place) throws -> ModelContainer {
    try ModelContainer(
      for: Station.self, Reading.self, configurations: ModelConfiguration(url: place.file))
  }

  static func createStations(_ place: Place, parents: Int, children: Int) throws {
    let context = ModelContext(try stations(place))
    for number in 0..<parents {
      let station = Station("station \(number)")
      context.insert(station)
      for child in 0..<children {
        let reading = Reading(Double(number * children + child), "reading \(child)")
        reading.station = station
        context.insert(reading)
      }
    }
    try context.save()
  }

  /// W10
  static let walk = Trial("stations-swiftdata") { place in
    let context = ModelContext(try stations(place))
    return Run(reading: {
      var sum = Checksum()
      for station in try context.fetch(FetchDescriptor<Station>()) {
        sum.add(station.name)
        for reading in station.readings {
          sum.add(reading.value)
          sum.add(reading.label)
        }
      }
      return sum
    })
  }

  /// W9
  static let cascade = Trial("parents-swiftdata") { place in
    let context = ModelContext(try stations(place))
    var descriptor = FetchDescriptor<Station>()
    descriptor.fetchLimit = Lookups.edits(place.rows)
    let doomed = try context.fetch(descriptor)
    return Run(
      work: {
        for station in doomed { context.delete(station) }
        try context.save()
      }, checksum: { try RawParents.left(place.file, "Station", "Reading") })
  }

  /// W9, without models.
  static let batchCascade = Trial("parents-swiftdata") { place in
    let container = try stations(place)
    let names = Set((0..<Lookups.edits(place.rows)).map { "station \($0)" })
    return Run(
      work: {
        try container.batchDelete(Station.self, where: #Predicate { names.contains($0.name) })
      },
      checksum: { try RawParents.left(place.file, "Station", "Reading") })
  }
}
