import SwiftData

struct Opaque {
  var number = 1
}

@Model
final class OpaqueHolder {
  var name: String
  var opaque: Opaque
  var action: () -> Void

  init(name: String) {
    self.name = name
    opaque = Opaque()
    action = {}
  }
}
