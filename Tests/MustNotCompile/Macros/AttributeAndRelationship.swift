import SwiftData

@Model
final class BothPlace {
  @Attribute(.unique) @Relationship var parent: BothPlace?
  @Relationship(.unique) var children: [BothPlace] = []
  @Attribute(.unique) @Transient var score = 0

  init() {}
}
