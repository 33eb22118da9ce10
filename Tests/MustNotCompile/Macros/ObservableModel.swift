import Observation
import SwiftData

@Observable
@Model
final class ObservedPlace {
  var name: String = ""

  init() {}
}
