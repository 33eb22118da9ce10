import Foundation
import PostgresTesting
import SwiftData
import SwiftDataExtras
import SwiftDataPostgres

@Model @Snapshotable
final class Station {
  @Attribute(.unique) var code: String
  var name: String
  var rank: Int?
  var total: UInt64
  var level: Double
  var isOpen: Bool
  var opened: Date
  var price: Decimal
  var mark: String?
  var line: Line?

  init(_ code: String, _ number: Int = 0, name: String = "") {
    self.code = code
    self.name = name
    rank = number.isMultiple(of: 4) ? nil : number
    total = .max - UInt64(number)
    level = Double(number) / 4
    isOpen = number.isMultiple(of: 2)
    opened = Date(timeIntervalSinceReferenceDate: Double(number) * 60)
    price = Decimal(number) / 8
  }
}

@Model
final class Line {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Station.line) var stations: [Station] = []
  @Relationship(deleteRule: .cascade) var depot: Depot?
  @Relationship(deleteRule: .deny) var owner: Owner?
  @Relationship(deleteRule: .cascade) var branches: [Line] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Depot {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model
final class Owner {
  var name: String

  init(_ name: String) { self.name = name }
}

/// A class with two unique properties.
@Model
final class Badge {
  @Attribute(.unique) var number: Int
  @Attribute(.unique) var name: String?
  var color: String

  init(_ number: Int, _ name: String?, _ color: String = "") {
    self.number = number
    self.name = name
    self.color = color
  }
}

@available(macOS 26, *)
@Model
class Vehicle {
  @Attribute(.unique) var number: Int
  var depot: Depot?

  init(_ number: Int) { self.number = number }
}

@available(macOS 26, *)
@Model
final class Tram: Vehicle {
  var length: Double = 0

  override init(_ number: Int) { super.init(number) }
}

enum Railway {
  static let schema = Schema([
    Station.self, Line.self, Depot.self, Owner.self, Badge.self, Vehicle.self, Tram.self,
  ])

  /// A container with a store of its own.
  static func container(_ name: String = "railway") throws -> ModelContainer {
    try ModelContainer(
      for: schema,
      configurations: [
        PostgresConfiguration(uniqueName(name), url: try PostgresServer.shared.url)
      ])
  }

  /// A container in memory.
  static func memory() throws -> ModelContainer {
    try ModelContainer(
      for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
  }
}
