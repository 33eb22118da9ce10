import SwiftData

@MainActor
@Model
final class IsolatedPlace {
  var name: String = ""

  init() {}
}
