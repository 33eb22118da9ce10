import Foundation
import SwiftData
import SwiftDataPostgres

/// Versions of a schema without version numbers.
enum Plain {
  @Model
  final class Item {
    var name: String
    var count: Int
    var mark: String?
    var box: Box?
    init(_ name: String, _ count: Int) {
      self.name = name
      self.count = count
    }
  }

  @Model
  final class Box {
    var name: String
    @Relationship(inverse: \Item.box) var items: [Item] = []
    init(_ name: String) { self.name = name }
  }

  static let schema = Schema([Item.self, Box.self])
}

/// Additional properties and a class.
enum Extended {
  @Model
  final class Item {
    var name: String
    var count: Int
    var mark: String?
    var box: Box?
    var color: String = "grey"
    var weight: Double?
    init(_ name: String, _ count: Int) {
      self.name = name
      self.count = count
    }
  }

  @Model
  final class Box {
    var name: String
    @Relationship(inverse: \Item.box) var items: [Item] = []
    init(_ name: String) { self.name = name }
  }

  @Model
  final class Shelf {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
  }

  static let schema = Schema([Item.self, Box.self, Shelf.self])
}

/// Other names, types, rules and an index.
enum Changed {
  @Model
  final class Item {
    #Index<Item>([\.title])
    @Attribute(.unique, originalName: "name") var title: String
    var count: Double
    var mark: String = "none"
    var box: Box?
    init(_ title: String, _ count: Double) {
      self.title = title
      self.count = count
    }
  }

  @Model
  final class Box {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Item.box) var items: [Item] = []
    init(_ name: String) { self.name = name }
  }

  static let schema = Schema([Item.self, Box.self])
}

/// A property that can't be nil and has no default.
enum Required {
  @Model
  final class Item {
    var name: String
    var count: Int
    var size: Int
    init(_ name: String, _ count: Int, _ size: Int) {
      self.name = name
      self.count = count
      self.size = size
    }
  }

  static let schema = Schema([Item.self])
}

/// A class less.
enum Single {
  @Model
  final class Item {
    var name: String
    var count: Int
    var mark: String?
    init(_ name: String, _ count: Int) {
      self.name = name
      self.count = count
    }
  }

  enum Version: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Item.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  }
}

/// A plan whose custom stage fails.
enum FailingPlan: SchemaMigrationPlan {
  struct Failure: Error {}

  enum First: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Plain.Item.self, Plain.Box.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  }

  enum Second: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Changed.Item.self, Changed.Box.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  }

  static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: First.self, toVersion: Second.self,
        willMigrate: { context in
          for item in try context.fetch(FetchDescriptor<Plain.Item>()) { item.name += "!" }
          try context.save()
        },
        didMigrate: { context in
          for item in try context.fetch(FetchDescriptor<Changed.Item>()) { item.count = -1 }
          try context.save()
          throw Failure()
        })
    ]
  }
}
