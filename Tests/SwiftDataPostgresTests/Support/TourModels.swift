import SwiftData
import SwiftDataPostgres

/// Ordered lists by a key, by pairs with an order at both ends, and by pairs without an inverse.
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

@Model
final class Guide {
  var name: String
  @Relationship(.ordered) var tours: [Tour] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Postcard {
  var text: String

  init(_ text: String) { self.text = text }
}

enum Tours {
  static let schema = Schema([Tour.self, Halt.self, Guide.self, Postcard.self])
}
