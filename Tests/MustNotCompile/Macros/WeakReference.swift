import SwiftData

@Model
final class WeakPlace {
  weak var parent: WeakPlace?
  unowned var root: WeakPlace?

  init() {}
}
