import Foundation
import SwiftData

@Model
final class FetchedHolder {
  var name: String = ""
  var count: Int = 0

  init() {}
}

struct NoModel {
  var name = ""
}

@Model
final class OtherHolder {
  var name: String = ""

  init() {}
}

func fetchOfOtherTypes(_ context: ModelContext) throws {
  _ = FetchDescriptor<NoModel>()
  _ = FetchDescriptor<FetchedHolder>(predicate: #Predicate<OtherHolder> { $0.name == "" })
  _ = FetchDescriptor<FetchedHolder>(sortBy: [SortDescriptor(\OtherHolder.name)])
  _ = FetchDescriptor<FetchedHolder>(predicate: #Predicate { $0.missing == 1 })
  _ = FetchDescriptor<FetchedHolder>(predicate: #Predicate { $0.count == "one" })
  var descriptor = FetchDescriptor<FetchedHolder>()
  descriptor.propertiesToFetch = [\OtherHolder.name]
  descriptor.fetchLimit = "ten"
  let found: [OtherHolder] = try context.fetch(descriptor)
  _ = found
}
