import SwiftData

/// A model with a relationship of each rule.
@Model
final class Harbour {
  @Attribute(.unique) var code: String
  @Relationship(deleteRule: .cascade, inverse: \Boat.harbour) var boats: [Boat] = []
  @Relationship(deleteRule: .deny, inverse: \Permit.harbour) var permits: [Permit] = []
  @Relationship(deleteRule: .nullify, inverse: \Berth.harbour) var berths: [Berth] = []
  @Relationship(deleteRule: .cascade, inverse: \Pilot.harbour) var pilots: [Pilot] = []
  @Relationship(deleteRule: .cascade, inverse: \Beacon.harbour) var beacon: Beacon?

  init(_ code: String) {
    self.code = code
  }
}

@Model
final class Boat {
  var number: Int
  var harbour: Harbour?
  @Relationship(inverse: \Flag.boats) var flags: [Flag] = []

  init(_ number: Int) {
    self.number = number
  }
}

@Model
final class Permit {
  var number: Int
  var harbour: Harbour?

  init(_ number: Int) {
    self.number = number
  }
}

/// A model whose unique values have a reference.
@Model
final class Berth {
  #Unique<Berth>([\.harbour, \.side])
  var number: Int
  var side: Int
  var harbour: Harbour?

  init(_ number: Int, side: Int) {
    self.number = number
    self.side = side
  }
}

/// A model with a reference that can't be nil.
@Model
final class Pilot {
  var number: Int
  var harbour: Harbour

  init(_ number: Int, at harbour: Harbour) {
    self.number = number
    self.harbour = harbour
  }
}

@Model
final class Beacon {
  var number: Int
  var harbour: Harbour?

  init(_ number: Int) {
    self.number = number
  }
}

@Model
final class Flag {
  @Attribute(.unique) var name: String
  var boats: [Boat] = []

  init(_ name: String) {
    self.name = name
  }
}
