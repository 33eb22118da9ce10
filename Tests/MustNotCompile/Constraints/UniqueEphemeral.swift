import SwiftData

@Model
final class EphemeralPlace {
  @Attribute(.unique, .ephemeral) var cursor = 0

  init() {}
}
