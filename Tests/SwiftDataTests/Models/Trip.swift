import SwiftData

@Model
final class Trip {
  @Attribute(.unique) var name: String
  var next: Trip?
  @Relationship(deleteRule: .cascade) var lodging: Lodging?

  init(name: String, lodging: Lodging? = nil) {
    self.name = name
    self.lodging = lodging
  }
}

@Model
final class Lodging {
  var title: String
  var visits = 0

  init(title: String) { self.title = title }
}

@Model
final class Crowd {
  var title = ""
  var members: [Lodging] = []

  init() {}
}
