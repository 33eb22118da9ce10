import SwiftData

@Model
final class SetHolder {
  var name: String = ""
  var others: Set<SetHolder> = []

  init() {}
}
