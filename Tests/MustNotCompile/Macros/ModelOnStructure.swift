import SwiftData

@Model
struct StructurePlace {
  var name: String
}
