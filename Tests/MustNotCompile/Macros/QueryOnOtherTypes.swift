import SwiftData

@Model
final class QueriedPlace {
  var name: String = ""

  init() {}
}

@MainActor
struct PlaceList {
  @Query var single: QueriedPlace
  @Query(sort: \QueriedPlace.name) let constant: [QueriedPlace]
  @Query var filled: [QueriedPlace] = []
}
