/// Destinations as they were read.
struct LoadedDestinations {
  /// The lists by the owner's row ID.
  var lists: [Int64: any ErasedModelArray] = [:]
  /// The destinations that the context had already, with their owners.
  var known: [(owner: Int64, model: any PersistentModel)] = []
}

/// Collects the destinations of each owner from rows that are mostly ordered by owner. An object, because a variable
/// that a closure changes is checked for exclusive access at each row.
final class ListCollector {
  @exclusivity(unchecked) var found = LoadedDestinations()
  @exclusivity(unchecked) private var owner: Int64 = 0
  @exclusivity(unchecked) private var models: [AnyObject] = []
  private let list: ([AnyObject]) -> any ErasedModelArray

  init(_ list: @escaping ([AnyObject]) -> any ErasedModelArray) { self.list = list }

  func append(_ model: AnyObject, of owner: Int64) {
    if owner != self.owner {
      close()
      self.owner = owner
      // Owners have about the same number of destinations.
      let expected = models.count
      models = found.lists[owner]?.models.map { $0 as AnyObject } ?? []
      models.reserveCapacity(expected)
    }
    models.append(model)
  }

  func close() {
    if !models.isEmpty { found.lists[owner] = list(models) }
  }
}
