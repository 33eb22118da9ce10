import SwiftData
import SwiftDataPostgres

/// A number that all processes add to.
@Model
final class Total {
  @Attribute(.unique) var number: Int
  var value = 0

  init(_ number: Int) { self.number = number }
}

/// One addition. Nothing is unique, so that one that was stored twice shows.
@Model
final class Addition {
  var writer: Int
  var number: Int

  init(writer: Int, number: Int) {
    self.writer = writer
    self.number = number
  }
}

enum Ledger {
  /// - Parameters:
  ///   - url: The address of the database.
  ///   - name: The schema of the store.
  static func container(_ url: String, _ name: String) throws -> ModelContainer {
    var configuration = PostgresConfiguration(name, url: url)
    configuration.acquisitionTimeout = 60
    configuration.historyRetention = HistoryRetention(
      maximumAge: nil, maximumSize: nil, maximumUnreadAge: nil, maximumUnreadSize: nil)
    return try ModelContainer(
      for: Schema([Total.self, Addition.self]), configurations: [configuration])
  }
}
