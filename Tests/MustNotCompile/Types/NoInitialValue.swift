import SwiftData

@Model
final class UntypedHolder {
  var name: String = ""
  var kind = .plain

  init() {}
}
