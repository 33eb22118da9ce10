import SwiftData

/// A sighting, as a naturalist's program calls it: the name of a module whose symbols `@Model` uses.
@Model
final class Observation {
  var species = ""
  @Relationship(inverse: \Observation.former) var later: [Observation] = []
  var former: Observation?

  init() {}
}

@Model
final class Naturalist {
  struct Observation: Codable {
    var place = ""
  }
  var name = "" {
    didSet { if name.isEmpty { name = oldValue } }
  }
  var observations: [Observation] = []

  init() {}
}
