import SwiftData

@Model
final class RepeatedPlace {
  @Attribute(.unique)
  @Attribute(.spotlight)
  var name: String = ""
  @Relationship @Relationship(deleteRule: .cascade) var children: [RepeatedPlace] = []

  init() {}
}
