import SwiftData

@Model
enum EnumerationPlace {
  case here
}

// The type checker alone expands an enumeration's macro only if one of its members is used; a build always expands it.
let enumerationPlace = EnumerationPlace.schemaMetadata

@Model
actor ActorPlace {
  var name = ""
}

@Model
protocol ProtocolPlace {
  var name: String { get }
}
