import SwiftData

@Model
final class UnsetRecord {
  var name: String
  var count: Int

  init(name: String) {
    self.name = name
  }
}
