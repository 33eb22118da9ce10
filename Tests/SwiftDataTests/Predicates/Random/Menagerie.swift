import SwiftData

enum Diet: String, Codable, CaseIterable { case plants, meat, both = "all of it" }

struct Den: Codable, Hashable {
  var name: String
  var note: String?
  var depth: Double?
}

/// A model with a property of every kind that predicates treat differently, and with relationships
/// of every kind of storage.
@Model
final class Creature {
  #Index<Creature>([\.count], [\.name], [\.size])
  var name: String = ""
  var note: String?
  var count: Int = 0
  var rank: Int?
  var small: Int8 = 0
  var big: UInt64 = 0
  var size: Double = 0
  var depth: Double?
  var ratio: Float = 0
  var born: Date = Date(timeIntervalSinceReferenceDate: 0)
  var seen: Date?
  var isTame: Bool = false
  var isShy: Bool?
  var diet: Diet = Diet.plants
  var treat: Diet?
  var den: Den = Den(name: "")
  var nest: Den?
  var data: Data = Data()
  var key: UUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var price: Decimal = Decimal(0)
  var words: [String] = []
  var numbers: [Int] = []
  var scores: [String: Int] = [:]
  var diets: [Diet] = []
  var keys: Set<UUID> = []
  var keeper: Keeper?
  var parent: Creature?
  @Relationship(inverse: \Creature.parent) var young: [Creature]? = []
  @Relationship(inverse: \Mark.creatures) var marks: [Mark] = []
  @Relationship(inverse: nil) var friends: [Creature] = []

  init() {}
}

@Model
final class Keeper {
  var name: String = ""
  var age: Int?
  @Relationship(inverse: \Creature.keeper) var creatures: [Creature] = []
  var badge: Badge?

  init(_ name: String) { self.name = name }
}

@Model
final class Mark {
  var text: String = ""
  var creatures: [Creature] = []

  init(_ text: String) { self.text = text }
}

/// The foreign key of the one-to-one relationship is stored here or with the keeper; predicates use
/// both directions.
@Model
final class Badge {
  var number: Int = 0
  @Relationship(inverse: \Keeper.badge) var keeper: Keeper?

  init(_ number: Int) { self.number = number }
}
