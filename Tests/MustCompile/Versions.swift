import Foundation
import SwiftData

enum TripsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }

  @Model
  final class Trip {
    var name: String

    init(name: String) {
      self.name = name
    }
  }
}

enum TripsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }

  @Model
  final class Trip {
    #Unique<TripsV2.Trip>([\.title, \.start])
    @Attribute(originalName: "name") var title: String
    var start: Date?

    init(title: String) {
      self.title = title
    }
  }
}

typealias CurrentTrip = TripsV2.Trip

enum TripsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self] }
  static var stages: [MigrationStage] { [shorten] }

  static let shorten = MigrationStage.custom(
    fromVersion: TripsV1.self, toVersion: TripsV2.self,
    willMigrate: { context in
      for trip in try context.fetch(FetchDescriptor<TripsV1.Trip>()) {
        trip.name = String(trip.name.prefix(20))
      }
      try context.save()
    }, didMigrate: nil)
}

func openTrips(at url: URL) throws -> ModelContainer {
  let schema = Schema(versionedSchema: TripsV2.self)
  return try ModelContainer(
    for: schema, migrationPlan: TripsPlan.self,
    configurations: ModelConfiguration("trips", schema: schema, url: url))
}
