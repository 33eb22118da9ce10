import BenchmarkSupport
import Foundation
import SwiftData
import SwiftDataExtras

/// W15: a text search in 235,640 names of places.
enum SearchTrials {
  static let count = 235_640
  /// Terms that occur a few times, often, and never.
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

  /// Adds a name to the checksum without its text: implementations may find different hundreds of
  /// many matches. The sum only shows that the names were found and read.
  private static func note(_ name: String, _ sum: inout Checksum) { sum.add(name.isEmpty ? 2 : 1) }

  /// A query without an index, once for each term.
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

  /// The same query with the index.
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

  /// SQLite's own LIKE, which ignores the case of ASCII letters only.
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
