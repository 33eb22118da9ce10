import SwiftData

/// Versions of one small model, and migration plans for them.
enum ErrandVersions {
  enum V1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Errand.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model
    final class Errand {
      var what: String
      var amount: Int
      init(_ what: String, amount: Int = 1) {
        self.what = what
        self.amount = amount
      }
    }
  }

  enum V2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Errand.self, Shop.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

    @Model
    final class Errand {
      var what: String
      var amount: Int
      var shop: Shop?
      init(_ what: String, amount: Int = 1) {
        self.what = what
        self.amount = amount
      }
    }

    @Model
    final class Shop {
      var name: String
      var errands: [Errand] = []
      init(_ name: String) { self.name = name }
    }
  }

  /// The same models as before: the stage that leads to this version only changes values.
  enum V3: VersionedSchema {
    static var models: [any PersistentModel.Type] { [V2.Errand.self, V2.Shop.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  }

  enum V4: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Errand.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(4, 0, 0) }

    @Model
    final class Errand {
      @Attribute(.unique, originalName: "what") var title: String
      var amount: Double
      init(_ title: String, amount: Double = 1) {
        self.title = title
        self.amount = amount
      }
    }
  }

  /// A version that no plan contains.
  enum Stray: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Errand.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(9, 0, 0) }

    @Model
    final class Errand {
      var what: String
      var urgent: Bool = false
      init(_ what: String) { self.what = what }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self, V4.self] }
    static var stages: [MigrationStage] { [first, second, third] }

    static let first = MigrationStage.custom(
      fromVersion: V1.self, toVersion: V2.self,
      willMigrate: { context in
        for errand in try context.fetch(FetchDescriptor<V1.Errand>()) { errand.what += " (1)" }
        try context.save()
      },
      didMigrate: { context in
        let shop = V2.Shop("corner")
        context.insert(shop)
        for errand in try context.fetch(FetchDescriptor<V2.Errand>()) { errand.shop = shop }
        // The stage itself saves the changes.
      })
    static let second = MigrationStage.custom(
      fromVersion: V2.self, toVersion: V3.self, willMigrate: nil,
      didMigrate: { context in
        let database = context.migrationDatabase
        try database?.execute("UPDATE Errand SET amount = amount * ?", [.integer(10)])
      })
    static let third = MigrationStage.custom(
      fromVersion: V3.self, toVersion: V4.self,
      willMigrate: { context in
        // Titles become unique: of two equal ones the later is deleted.
        var known: Set<String> = []
        for errand in try context.fetch(
          FetchDescriptor<V2.Errand>(sortBy: [SortDescriptor(\.amount)]))
        where !known.insert(errand.what).inserted {
          context.delete(errand)
        }
        try context.save()
      }, didMigrate: nil)
  }

  struct Refused: Error {}

  /// Plans that can't be executed.
  enum Gap: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V4.self] }
    static var stages: [MigrationStage] {
      [.lightweight(fromVersion: V2.self, toVersion: V4.self)]
    }
  }

  enum Unlisted: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V4.self] }
    static var stages: [MigrationStage] {
      [
        .lightweight(fromVersion: V1.self, toVersion: V2.self),
        .lightweight(fromVersion: V2.self, toVersion: V4.self),
      ]
    }
  }

  enum SameVersion: VersionedSchema {
    static var models: [any PersistentModel.Type] { [V4.Errand.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  }

  enum Twice: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, SameVersion.self] }
    static var stages: [MigrationStage] { [] }
  }

  enum Circle: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V4.self] }
    static var stages: [MigrationStage] {
      [
        .lightweight(fromVersion: V1.self, toVersion: V2.self),
        .lightweight(fromVersion: V2.self, toVersion: V1.self),
      ]
    }
  }

  /// Forward and back.
  enum Return: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] { [forth, back] }
    static let forth = MigrationStage.custom(
      fromVersion: V1.self, toVersion: V2.self, willMigrate: nil,
      didMigrate: { context in
        let shop = V2.Shop("corner")
        context.insert(shop)
        for errand in try context.fetch(FetchDescriptor<V2.Errand>()) { errand.shop = shop }
      })
    static let back = MigrationStage.custom(
      fromVersion: V2.self, toVersion: V1.self,
      willMigrate: { context in
        for errand in try context.fetch(FetchDescriptor<V2.Errand>()) {
          errand.what += " at \(errand.shop?.name ?? "none")"
        }
      }, didMigrate: nil)
  }

  enum Loop: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V4.self] }
    static var stages: [MigrationStage] {
      [
        .lightweight(fromVersion: V1.self, toVersion: V1.self),
        .lightweight(fromVersion: V1.self, toVersion: V4.self),
      ]
    }
  }

  enum Fork: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V4.self] }
    static var stages: [MigrationStage] {
      [
        .lightweight(fromVersion: V1.self, toVersion: V2.self),
        .lightweight(fromVersion: V1.self, toVersion: V4.self),
      ]
    }
  }

  enum Failing: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] { [stage] }
    static let stage = MigrationStage.custom(
      fromVersion: V1.self, toVersion: V2.self, willMigrate: nil,
      didMigrate: { context in
        context.insert(V2.Shop("lost"))
        try context.save()
        throw Refused()
      })
  }

  enum Meddling: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] { [stage] }
    static let stage = MigrationStage.custom(
      fromVersion: V1.self, toVersion: V2.self,
      willMigrate: { context in try context.migrationDatabase?.execute("COMMIT") }, didMigrate: nil)
  }
}
