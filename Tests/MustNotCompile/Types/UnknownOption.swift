import SwiftData

@Model
final class OptionHolder {
  @Attribute(.primaryKey) var name: String = ""
  @Relationship(deleteRule: .destroy) var other: OptionHolder?

  init() {}
}
