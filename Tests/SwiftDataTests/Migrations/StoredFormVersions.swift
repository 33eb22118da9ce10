import SwiftData

/// Versions of one entity that differ in the storage and the search of its attributes.
enum LetterForms {
  enum Plain {
    @Model
    final class Letter {
      var number: Int
      var text: String
      @Attribute(.externalStorage) var scan: Data?
      @Attribute(.preserveValueOnDeletion) var sender: String
      init(_ number: Int, text: String, scan: Data? = nil) {
        self.number = number
        self.text = text
        self.scan = scan
        sender = "sender \(number)"
      }
    }
  }

  enum Sealed {
    @Model
    final class Letter {
      var number: Int
      @Attribute(.allowsCloudEncryption) var text: String
      @Attribute(.allowsCloudEncryption) var mood: String = "calm"
      var scan: Data?
      @Attribute(.preserveValueOnDeletion) var sender: String
      init(_ number: Int) {
        self.number = number
        text = ""
        sender = ""
      }
    }
  }

  enum Searchable {
    @Model
    final class Letter {
      #Index<Letter>(.rtree([\.number]))
      var number: Int
      @Attribute(.spotlight) var text: String
      @Attribute(.externalStorage, originalName: "scan") var picture: Data?
      @Attribute(.preserveValueOnDeletion, originalName: "sender") var author: String
      init(_ number: Int) {
        self.number = number
        text = ""
        author = ""
      }
    }
  }

  enum Short {
    @Model
    final class Letter {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }

  /// The preserved value has another type.
  enum Numbered {
    @Model
    final class Letter {
      @Attribute(.preserveValueOnDeletion) var number: Double
      var text: String
      @Attribute(.externalStorage) var scan: Data?
      @Attribute(.preserveValueOnDeletion) var sender: String
      init() {
        number = 0
        text = ""
        sender = ""
      }
    }
  }

  enum Counted {
    @Model
    final class Letter {
      @Attribute(.preserveValueOnDeletion) var number: Int
      var text: String
      @Attribute(.externalStorage) var scan: Data?
      @Attribute(.preserveValueOnDeletion) var sender: String
      init(_ number: Int) {
        self.number = number
        text = ""
        sender = ""
      }
    }
  }

  /// Versions of which only the second keeps large values in files.
  enum V1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Short.Letter.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  }

  enum V2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Plain.Letter.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  }

  enum V3: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Short.Letter.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  }

  /// The code of the first stage writes a file, for which the last version has no place.
  enum FillingFiles: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: V1.self, toVersion: V2.self, willMigrate: nil,
          didMigrate: { context in
            context.insert(
              Plain.Letter(9, text: "", scan: Data(repeating: 1, count: 150_000)))
            try context.save()
          }),
        .lightweight(fromVersion: V2.self, toVersion: V3.self),
      ]
    }
  }

  enum ThroughFiles: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
    static var stages: [MigrationStage] {
      [
        .lightweight(fromVersion: V1.self, toVersion: V2.self),
        .lightweight(fromVersion: V2.self, toVersion: V3.self),
      ]
    }
  }
}
