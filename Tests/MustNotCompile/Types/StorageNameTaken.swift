import SwiftData

@Model
final class UnderscoreHolder {
  var name: String = ""
  var _name: String = ""

  init() {}
}
