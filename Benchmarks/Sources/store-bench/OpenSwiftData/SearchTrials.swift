import BenchmarkSupport
import Foundation
import SwiftData

/// W15: text in 235,640 names of places.
enum SearchTrials {
  static let count = 235_640
  /// Found a few times, often, never.
  static let terms = ["Lake Station 3917", "harbour", "Atlantis"]

  private static func container(_ place: Place) throws -> ModelContainer {
    try ModelContainer(
      for: PlainPlace.self, IndexedPlace.self, configurations: ModelConfiguration(url: place.file))
  }

  static func create(_ place: Place) throws {
    let container = try container(place)
    try container.batchInsert(QuakeRows(count).lazy.map { PlainPlace($0.place ?? "") })
    try container.batchInsert(QuakeRows(count).lazy.map { IndexedPlace($0.place ?? "") })
  }

  /// Which hundred of many are found isn't said; that they are found and read is.
  private static func note(_ name: String, _ sum: inout Checksum) { sum.add(name.isEmpty ? 2 : 1) }

  /// A query without an index, each of the terms once.
  static let plain = Trial("places") { place in
    let context = ModelContext(try container(place))
    return Run(reading: {
      var sum = Checksum()
      for term in terms {
        var descriptor = FetchDescriptor<PlainPlace>(
          predicate: #Predicate { $0.name.localizedStandardContains(term) })
        descriptor.fetchLimit = 100
        for found in try context.fetch(descriptor) { note(found.name, &sum) }
      }
      return sum
    })
  }

  /// The same with the index.
  static let indexed = Trial("places") { place in
    let context = ModelContext(try container(place))
    return Run(reading: {
      var sum = Checksum()
      for term in terms {
        var descriptor = FetchDescriptor<IndexedPlace>(
          predicate: #Predicate { $0.name.localizedStandardContains(term) })
        descriptor.fetchLimit = 100
        for found in try context.fetch(descriptor) { note(found.name, &sum) }
      }
      return sum
    })
  }

  /// SQLite's own LIKE, which knows upper and lower case of ASCII only.
  static let like = Trial("places") { place in
    let database = try RawDatabase(place.file)
    let statement = try database.prepare(
      "SELECT name FROM PlainPlace WHERE name LIKE '%' || ?1 || '%' LIMIT 100")
    return Run(reading: {
      var sum = Checksum()
      for term in terms {
        try statement.withText(term, at: 1) {
          while try statement.step() { note(statement.text(0), &sum) }
        }
        statement.reset()
      }
      return sum
    })
  }
}
