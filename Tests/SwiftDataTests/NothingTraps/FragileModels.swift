import SwiftData

struct Spot: Codable, Hashable {
  var x: Double
  var name: String?
}

enum Mood: String, Codable { case calm, wild }
enum Grade: Int, Codable { case low = 1, high = 2 }

/// A class with the features that make Apple's framework trap.
@Model
final class Fragile {
  var name: String
  var number: Int
  var size: Int?
  var mood: Mood
  var grade: Grade?
  var spot: Spot?
  var words: [String]
  var made: Date
  var mate: Fragile?
  @Relationship(deleteRule: .cascade, inverse: \Piece.whole) var pieces: [Piece] = []

  /// A computed property, which isn't stored.
  var shout: String { name.uppercased() }

  init(_ name: String, number: Int = 0, mood: Mood = .calm) {
    self.name = name
    self.number = number
    self.mood = mood
    words = ["a", name]
    made = Date(timeIntervalSinceReferenceDate: 0)
  }
}

@Model
final class Piece {
  var number: Int
  /// Not optional: there must always be a value.
  var whole: Fragile

  init(_ number: Int, of whole: Fragile) {
    self.number = number
    self.whole = whole
  }
}

/// A class that no container of these tests has in its schema.
@Model
final class Stranger {
  var name = ""
  init() {}
}

/// A type without a default value for a missing one.
enum Concealed: Codable, Hashable {
  case word(String)
  case number(Int)
}

@Model
final class Vault {
  var secret: Concealed
  init(_ secret: Concealed) { self.secret = secret }
}
