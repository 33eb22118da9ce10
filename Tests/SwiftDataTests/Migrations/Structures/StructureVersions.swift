import SwiftData

/// Versions of one entity that differ in the members of its structure, and in whether that may be nil.
enum BoxForms {
  // Structures of one name.

  enum Widths {
    struct S: Codable, Equatable {
      var w: Int
    }
  }

  enum LooseWidths {
    struct S: Codable, Equatable {
      var w: Int?
    }
  }

  enum Sizes {
    struct S: Codable, Equatable {
      var w: Int
      var h: Int
    }
  }

  enum HalfSizes {
    struct S: Codable, Equatable {
      var w: Int?
      var h: Int
    }
  }

  enum FreeSizes {
    struct S: Codable, Equatable {
      var w: Int?
      var h: Int?
    }
  }

  typealias Width = Widths.S
  typealias Loose = LooseWidths.S
  typealias Size = Sizes.S
  typealias Half = HalfSizes.S
  typealias Free = FreeSizes.S

  enum OfWidth {
    @Model
    final class Box {
      var n = 0
      var s: Width?
      init(_ n: Int, _ s: Width? = nil) {
        self.n = n
        self.s = s
      }
    }
  }

  enum OfLoose {
    @Model
    final class Box {
      var n = 0
      var s: Loose?
      init(_ n: Int, _ s: Loose? = nil) {
        self.n = n
        self.s = s
      }
    }
  }

  enum OfSize {
    @Model
    final class Box {
      var n = 0
      var s: Size?
      init(_ n: Int, _ s: Size? = nil) {
        self.n = n
        self.s = s
      }
    }
  }

  enum OfWidthByDefault {
    @Model
    final class Box {
      var n = 0
      var s: Width? = Width(w: 5)
      init(_ n: Int) { self.n = n }
    }
  }

  enum OfSizeByDefault {
    @Model
    final class Box {
      var n = 0
      var s: Size? = Size(w: 5, h: 6)
      init(_ n: Int) { self.n = n }
    }
  }

  enum OfHalf {
    @Model
    final class Box {
      var n = 0
      var s: Half?
      init(_ n: Int, _ s: Half? = nil) {
        self.n = n
        self.s = s
      }
    }
  }

  enum OfFree {
    @Model
    final class Box {
      var n = 0
      var s: Free?
      init(_ n: Int, _ s: Free? = nil) {
        self.n = n
        self.s = s
      }
    }
  }

  enum NeverNilHalf {
    @Model
    final class Box {
      var n = 0
      var s: Half = Half(w: 1, h: 2)
      init(_ n: Int) { self.n = n }
    }
  }

  enum NeverNilFree {
    @Model
    final class Box {
      var n = 0
      var s: Free = Free(w: 1, h: nil)
      init(_ n: Int) { self.n = n }
    }
  }

  enum RequiredFree {
    @Model
    final class Box {
      var n = 0
      var s: Free
      init(_ n: Int, _ s: Free) {
        self.n = n
        self.s = s
      }
    }
  }

  enum RequiredLoose {
    @Model
    final class Box {
      var n = 0
      var s: Loose
      init(_ n: Int, _ s: Loose) {
        self.n = n
        self.s = s
      }
    }
  }

  enum Sealed {
    @Model
    final class Box {
      var n = 0
      @Attribute(.allowsCloudEncryption) var s: Width?
      init(_ n: Int) { self.n = n }
    }
  }

  enum SealedWithDefault {
    @Model
    final class Box {
      @Attribute(.allowsCloudEncryption) var n = 7
      @Attribute(.allowsCloudEncryption) var s: Size = Size(w: 3, h: 4)
      init() {}
    }
  }

  enum SealedAlways {
    @Model
    final class Box {
      var n = 0
      @Attribute(.allowsCloudEncryption) var s: Width
      init(_ n: Int, _ s: Width) {
        self.n = n
        self.s = s
      }
    }
  }

  // MARK: - With another attribute

  enum NotedLoose {
    @Model
    final class Box {
      var n = 0
      var s: Loose?
      var note: String?
      init() {}
    }
  }

  enum NotedWidth {
    @Model
    final class Box {
      var n = 0
      var s: Width?
      var note: String?
      init() {}
    }
  }

  enum V1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [OfLoose.Box.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  }

  enum V2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [NotedLoose.Box.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [.lightweight(fromVersion: V1.self, toVersion: V2.self)]
    }
  }

  enum W2: VersionedSchema {
    static var models: [any PersistentModel.Type] { [OfWidth.Box.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  }

  enum WidthPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, W2.self] }
    static var stages: [MigrationStage] {
      [.lightweight(fromVersion: V1.self, toVersion: W2.self)]
    }
  }
}
