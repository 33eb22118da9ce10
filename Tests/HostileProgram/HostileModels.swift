import Foundation
import SwiftData

struct Spot: Codable, Hashable {
  var hall: String
  var shelf: Int?
}

/// A model with every kind of data that a store keeps for a model.
@Model
final class Relic {
  #Index<Relic>(.rtree([\.x, \.y]), .binary([\.rank, \.x]))
  @Attribute(.unique, .preserveValueOnDeletion) var code: String
  @Attribute(.preserveValueOnDeletion) var rank: Int
  var x: Double
  var y: Double
  var made: Date
  var number = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  @Attribute(.spotlight) var title: String
  @Attribute(.externalStorage) var image: Data
  @Attribute(.allowsCloudEncryption) var secret: String
  var spot: Spot?
  var tags: [String]
  @Relationship(.ordered, deleteRule: .cascade, inverse: \Shard.relic) var shards: [Shard] = []
  @Relationship(inverse: \Hall.relics) var halls: [Hall] = []
  var keeper: Keeper?

  init(_ code: String, rank: Int) {
    self.code = code
    self.rank = rank
    x = Double(rank)
    y = -1.5
    made = Date(timeIntervalSinceReferenceDate: 700_000_000)
    title = "Relic of \(code)"
    // One of the images is stored in a file of its own.
    image = Data(repeating: UInt8(rank & 0xFF), count: rank == 1 ? 110_000 : 10)
    secret = "secret of \(code)"
    spot = rank.isMultiple(of: 2) ? Spot(hall: "north", shelf: rank) : nil
    tags = ["a", code]
  }
}

@Model
final class Shard {
  var weight: Double
  var relic: Relic?
  init(_ weight: Double) { self.weight = weight }
}

@Model
final class Hall {
  var name: String
  var relics: [Relic] = []
  init(_ name: String) { self.name = name }
}

@Model
class Keeper {
  @Attribute(.unique) var name: String
  init(name: String) { self.name = name }
}

@Model
final class Chief: Keeper {
  var salary: Decimal
  init(name: String, salary: Decimal) {
    self.salary = salary
    super.init(name: name)
  }
}

/// The same models in another version of a program, to test the errors of a migration.
enum Later {
  static let schema = Schema([Hall.self])

  @Model
  final class Hall {
    var name: String
    var floor: Int = 0
    init(_ name: String) { self.name = name }
  }
}

enum Museum {
  static let types: [any PersistentModel.Type] = [
    Relic.self, Shard.self, Hall.self, Keeper.self, Chief.self,
  ]
  static let schema = Schema(types)

  static func configuration(_ file: URL, allowsSave: Bool = true) -> ModelConfiguration {
    var configuration = ModelConfiguration(url: file, allowsSave: allowsSave)
    configuration.encryptionKey = EncryptionKey([UInt8](repeating: 7, count: 32))
    return configuration
  }

  static func open(_ file: URL, allowsSave: Bool = true) throws -> ModelContainer {
    try ModelContainer(
      for: schema, configurations: configuration(file, allowsSave: allowsSave))
  }

  /// Creates a store with rows of every class, a history of several authors, and history consumers.
  static func make(_ file: URL) throws {
    let container = try open(file)
    let context = ModelContext(container)
    let chief = Chief(name: "chief", salary: 12.5)
    context.insert(chief)
    context.insert(Keeper(name: "keeper"))
    let halls = [Hall("north"), Hall("south")]
    for hall in halls { context.insert(hall) }
    for rank in 1...6 {
      let relic = Relic("r\(rank)", rank: rank)
      context.insert(relic)
      relic.keeper = rank == 1 ? chief : nil
      relic.shards = [Shard(Double(rank)), Shard(0.5)]
      relic.halls = rank < 3 ? halls : []
    }
    try context.save()
    try container.registerHistoryConsumer("reader")
    for (author, code) in [("one", "r2"), ("two", "r3"), ("one", "r6")] {
      context.author = author
      let found = try context.fetch(
        FetchDescriptor<Relic>(predicate: #Predicate { $0.code == code }))
      for relic in found {
        if code == "r6" { context.delete(relic) } else { relic.title += " again" }
      }
      try context.save()
    }
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "two" }))
  }
}
