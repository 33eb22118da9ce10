import SwiftData

/// The migrations of a store from one version to the next.
public enum MusicPlan: SchemaMigrationPlan {
  public static var schemas: [any VersionedSchema.Type] {
    [
      MusicVersion1.self, MusicVersion2.self, MusicVersion3.self, MusicVersion4.self,
      MusicVersion5.self,
    ]
  }

  public static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: MusicVersion1.self, toVersion: MusicVersion2.self),
      .lightweight(fromVersion: MusicVersion2.self, toVersion: MusicVersion3.self),
      .custom(
        fromVersion: MusicVersion3.self, toVersion: MusicVersion4.self,
        willMigrate: { context in
          for artist in try context.fetch(FetchDescriptor<MusicVersion3.Artist>())
          where !artist.fullName.contains(" ") {
            artist.fullName = "The \(artist.fullName)"
          }
          try context.save()
        },
        didMigrate: { context in
          for artist in try context.fetch(FetchDescriptor<MusicVersion4.Artist>()) {
            let parts = artist.fullName.split(separator: " ", maxSplits: 1).map(String.init)
            artist.firstName = parts.first ?? ""
            artist.lastName = parts.count > 1 ? parts[1] : ""
          }
          try context.save()
        }),
      .lightweight(fromVersion: MusicVersion4.self, toVersion: MusicVersion5.self),
    ]
  }
}
