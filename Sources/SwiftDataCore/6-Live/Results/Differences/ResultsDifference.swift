/// The difference between two lists of results: the removed, inserted, moved and changed elements.
///
/// Positions are those of `CollectionDifference`, and of Core Data's `NSFetchedResultsController`: a removed element
/// has its position in the earlier list, an inserted one its position in the later list. Applied in this order, the
/// steps turn the earlier list into the later one:
///
/// 1. Remove ``removed`` and the origins of ``moved``, the last position first.
/// 2. Insert ``inserted`` and the destinations of ``moved``, the first position first.
/// 3. Display ``changed`` again.
///
/// ``applied(to:)`` does the first two.
public struct ResultsDifference<ID: Hashable & Sendable>: Sendable, Equatable {
  /// An element and its position.
  public struct Place: Sendable, Equatable {
    /// The position in the list.
    public let position: Int
    /// The identifier of the element.
    public let id: ID

    /// Creates a place.
    public init(position: Int, id: ID) {
      self.position = position
      self.id = id
    }
  }

  /// An element of both lists that is at another position, or in another section.
  public struct Move: Sendable, Equatable {
    /// The position in the earlier list.
    public let origin: Int
    /// The position in the later list.
    public let destination: Int
    /// The identifier of the element.
    public let id: ID

    /// Creates a move.
    public init(origin: Int, destination: Int, id: ID) {
      self.origin = origin
      self.destination = destination
      self.id = id
    }
  }

  /// The removed elements, by positions in the earlier list, the last position first.
  public internal(set) var removed: [Place] = []
  /// The inserted elements, by positions in the later list, the first position first.
  public internal(set) var inserted: [Place] = []
  /// The elements that stay but are at other positions among those that stay: as few as possible of those that may have
  /// moved. In the order of destinations.
  public internal(set) var moved: [Move] = []
  /// The elements of both lists that were written in between, moved or not, by positions in the later list, the first
  /// position first.
  public internal(set) var changed: [Place] = []
  /// The removed sections, by positions in the earlier list of sections, the last position first.
  public internal(set) var removedSections: [Int] = []
  /// The inserted sections, by positions in the later list of sections, the first position first.
  public internal(set) var insertedSections: [Int] = []
  /// Whether any element may have other values; ``changed`` is incomplete then. This is so after a commit that isn't in
  /// the history, such as one by the `sqlite3` shell, and when a reader is very far behind.
  public internal(set) var reloadsAll = false
  /// The number of elements in the earlier list.
  public internal(set) var earlierCount = 0
  /// The number of elements in the later list.
  public internal(set) var count = 0

  init() {}

  /// Whether both lists are the same, with the same values as far as is known.
  public var isEmpty: Bool {
    removed.isEmpty && inserted.isEmpty && moved.isEmpty && changed.isEmpty
      && removedSections.isEmpty && insertedSections.isEmpty && !reloadsAll
  }

  /// Applies the difference to the earlier list.
  ///
  /// - Parameter earlier: The identifiers of the earlier list, in order.
  /// - Returns: The later list; nil when `earlier` is another list.
  public func applied(to earlier: [ID]) -> [ID]? {
    guard earlier.count == earlierCount else { return nil }
    var goes: [Int: ID] = [:]
    for place in removed { goes[place.position] = place.id }
    for move in moved { goes[move.origin] = move.id }
    var comes: [Int: ID] = [:]
    for place in inserted { comes[place.position] = place.id }
    for move in moved { comes[move.destination] = move.id }
    for (position, id) in goes {
      guard earlier.indices.contains(position), earlier[position] == id else { return nil }
    }
    var later: [ID] = []
    later.reserveCapacity(count)
    var next = 0
    for position in 0..<count {
      if let id = comes[position] {
        later.append(id)
        continue
      }
      while next < earlier.count, goes[next] != nil { next += 1 }
      guard next < earlier.count else { return nil }
      later.append(earlier[next])
      next += 1
    }
    while next < earlier.count, goes[next] != nil { next += 1 }
    return next == earlier.count ? later : nil
  }

  /// The same as the standard library's type, which has no counterpart of ``changed``. A move is a removal and an
  /// insertion that refer to each other.
  public var collectionDifference: CollectionDifference<ID>? {
    var changes: [CollectionDifference<ID>.Change] = []
    for place in removed {
      changes.append(.remove(offset: place.position, element: place.id, associatedWith: nil))
    }
    for place in inserted {
      changes.append(.insert(offset: place.position, element: place.id, associatedWith: nil))
    }
    for move in moved {
      changes.append(
        .remove(offset: move.origin, element: move.id, associatedWith: move.destination))
      changes.append(
        .insert(offset: move.destination, element: move.id, associatedWith: move.origin))
    }
    return CollectionDifference(changes)
  }
}
