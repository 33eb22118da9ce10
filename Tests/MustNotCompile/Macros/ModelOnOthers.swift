import SwiftData

@Model
enum EnumerationPlace {
  case here
}

// The type checker alone expands the macro of an enumeration only when what it would add is looked for; a build always does.
let enumerationPlace = EnumerationPlace.schemaMetadata

@Model
actor ActorPlace {
  var name = ""
}

@Model
protocol ProtocolPlace {
  var name: String { get }
}
