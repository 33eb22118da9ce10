import SwiftData

@Model
final class StoragelessPlace {
  var name: String = ""
  @Attribute(.unique) var upper: String { name.uppercased() }
  @Attribute static let count = 0
  @Relationship var parent: StoragelessPlace? { nil }

  @Transient func reset() {}
  @Attribute func rename() {}
  @Relationship struct Key {}

  init() {}
}
