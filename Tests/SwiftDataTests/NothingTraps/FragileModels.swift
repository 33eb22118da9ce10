import SwiftData

struct Spot: Codable, Hashable {
  var x: Double
  var name: String?
}

enum Mood: String, Codable { case calm, wild }
enum Grade: Int, Codable { case low = 1, high = 2 }

/// A class with what makes Apple's framework trap.
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

  /// Computed: nothing of it is stored.
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
  /// Not optional: something always has to be here.
  var whole: Fragile

  init(_ number: Int, of whole: Fragile) {
    self.number = number
    self.whole = whole
  }
}

/// A class that no container of these tests knows.
@Model
final class Stranger {
  var name = ""
  init() {}
}

/// A class whose value can't be made up when it is missing.
enum Concealed: Codable, Hashable {
  case word(String)
  case number(Int)
}

@Model
final class Warden {
  var secret: Concealed
  init(_ secret: Concealed) { self.secret = secret }
}
