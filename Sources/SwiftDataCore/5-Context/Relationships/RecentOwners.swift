/// Keeps models alive for a while whose lists were loaded while only models of these lists held them.
///
/// A list holds its models, which find the list's owner by their keys: holding it, too, they would never be released.
/// An owner that was reached through them, as in `book.author?.books`, would be released after each such expression,
/// and be read again with its list for the next book.
struct RecentOwners {
  /// The number of models in the lists of all owners but the last one from which the earliest ones are released.
  static let maximumCount = 16_384

  private var owners: [(model: any PersistentModel, count: Int)] = []
  /// The position of the earliest one that is kept.
  private var start = 0
  private var identities: Set<ObjectIdentifier> = []
  private var count = 0

  /// Keeps an owner.
  ///
  /// - Parameter listCount: The number of models in its list, for an owner that isn't kept yet.
  /// - Returns: The models no longer kept, to be released when nothing else is being changed.
  mutating func keep(_ owner: any PersistentModel, listCount: () -> Int) -> [any PersistentModel] {
    guard identities.insert(ObjectIdentifier(owner)).inserted else { return [] }
    let listCount = listCount()
    var released: [any PersistentModel] = []
    while start < owners.count, count + listCount > Self.maximumCount {
      let earliest = owners[start]
      start += 1
      count -= earliest.count
      identities.remove(ObjectIdentifier(earliest.model))
      released.append(earliest.model)
    }
    if start > owners.count / 2 {
      owners.removeFirst(start)
      start = 0
    }
    owners.append((owner, listCount + 1))
    count += listCount + 1
    return released
  }
}
