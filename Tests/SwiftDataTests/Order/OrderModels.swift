import SwiftData

@Model
final class Tour {
  var name: String
  @Relationship(.ordered, deleteRule: .cascade, inverse: \Halt.tour) var halts: [Halt] = []
  @Relationship(.ordered, inverse: \Guide.tours) var guides: [Guide] = []
  @Relationship(.ordered, inverse: nil) var postcards: [Postcard] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Halt {
  var name: String
  var tour: Tour?

  init(_ name: String) { self.name = name }
}

/// A guide has an ordered list of tours.
@Model
final class Guide {
  var name: String
  @Relationship(.ordered) var tours: [Tour] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Postcard {
  var name: String

  init(_ name: String) { self.name = name }
}

enum MisplacedOrder {
  @Model
  final class Leg {
    @Relationship(.ordered) var tour: Track?
    init() {}
  }

  @Model
  final class Track {
    var legs: [Leg] = []
    init() {}
  }
}
