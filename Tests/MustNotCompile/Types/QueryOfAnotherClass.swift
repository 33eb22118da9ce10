import SwiftData

@Model
final class QueryHolder {
  var name: String = ""

  init() {}
}

@MainActor
struct QueryOwner {
  @Query(sort: \QueryHolder.missing) var holders: [QueryHolder]
  @Query var texts: [String]
}
