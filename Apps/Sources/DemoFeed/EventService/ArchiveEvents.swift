/// The events of a catalogue and its archive that match a query of the event service, in its order.
/// They are generated one at a time; an order by magnitude keeps the magnitudes of all.
struct ArchiveEvents: Sequence, IteratorProtocol, Sendable {
  /// The place of an event in the catalogue.
  private enum Place: Hashable, Sendable {
    case base(Int)
    case added(Int)
  }

  private let catalogue: Catalogue
  private let query: EventServiceQuery
  /// The base events between the query's times that weren't taken yet. Newer events have lower
  /// indices.
  private var base: Range<Int>
  /// The same for events that were added in steps, as indices of ``Catalogue/added``.
  private var added: Range<Int>
  /// All events in the order of their magnitudes, the next one last.
  private var sorted: [Place]?
  /// The number of further events to return.
  private var left: Int

  /// The events of the answer: those from the query's offset on, up to its limit.
  init(of query: EventServiceQuery, in catalogue: Catalogue) {
    self.init(all: query, catalogue)
    switch query.order {
    case .time, .oldestFirst: break
    case .magnitude, .weakestFirst: sortByMagnitude()
    }
    for _ in 1..<query.offset where takePlace() == nil { break }
    left = query.limit ?? .max
  }

  private init(all query: EventServiceQuery, _ catalogue: Catalogue) {
    self.catalogue = catalogue
    self.query = query
    left = .max
    guard query.since <= query.until else {
      (base, added) = (0..<0, 0..<0)
      return
    }
    base = catalogue.archiveIndices(since: query.since, until: query.until)
    // Newest first, like the initial events.
    let start = catalogue.added.firstIndex { $0.time <= query.until } ?? catalogue.added.count
    let end = catalogue.added.firstIndex { $0.time < query.since } ?? catalogue.added.count
    added = start..<Swift.max(start, end)
  }

  /// Returns the number of events that match a query, whatever its limit and offset.
  static func count(of query: EventServiceQuery, in catalogue: Catalogue) -> Int {
    var events = ArchiveEvents(all: query, catalogue)
    guard query.minimumMagnitude != nil || query.maximumMagnitude != nil else {
      return events.base.count - catalogue.removedCount(in: events.base) + events.added.count
    }
    var count = 0
    while events.takePlace() != nil { count += 1 }
    return count
  }

  mutating func next() -> SyntheticEvent? {
    guard left > 0, let place = takePlace() else { return nil }
    left -= 1
    return switch place {
    case .base(let index): catalogue.baseEvent(index)
    case .added(let index): catalogue.added[index]
    }
  }

  /// Takes the next place whose event matches.
  private mutating func takePlace() -> Place? {
    guard sorted == nil else { return sorted?.popLast() }
    while let place = takeAnyPlace() {
      if case .base(let index) = place, catalogue.isRemoved(index) { continue }
      if admits(place) { return place }
    }
    return nil
  }

  /// Takes the next place in the order of time.
  private mutating func takeAnyPlace() -> Place? {
    if query.order == .oldestFirst {
      guard let index = base.last else { return added.popLast().map { .added($0) } }
      if let other = added.last, catalogue.added[other].time < catalogue.baseTime(index) {
        added.removeLast()
        return .added(other)
      }
      base.removeLast()
      return .base(index)
    }
    guard let index = base.first else { return added.popFirst().map { .added($0) } }
    if let other = added.first, catalogue.added[other].time >= catalogue.baseTime(index) {
      added.removeFirst()
      return .added(other)
    }
    base.removeFirst()
    return .base(index)
  }

  private mutating func sortByMagnitude() {
    var places: [(place: Place, magnitude: Int)] = []
    while let place = takePlace() { places.append((place, magnitude(place) ?? .min)) }
    let descends = query.order == .magnitude
    // The next event is the last one; of equal magnitudes the newest comes first.
    let order = places.indices.sorted { one, other in
      let (left, right) = (places[one].magnitude, places[other].magnitude)
      return left == right ? one > other : descends ? left < right : left > right
    }
    sorted = order.map { places[$0].place }
  }

  private func magnitude(_ place: Place) -> Int? {
    switch place {
    case .base(let index): catalogue.baseMagnitude(index)
    case .added(let index): catalogue.added[index].magnitude
    }
  }

  private func admits(_ place: Place) -> Bool {
    guard query.minimumMagnitude != nil || query.maximumMagnitude != nil else { return true }
    guard let hundredths = magnitude(place) else { return false }
    let magnitude = Double(hundredths) / 100
    return magnitude >= query.minimumMagnitude ?? -.infinity
      && magnitude <= query.maximumMagnitude ?? .infinity
  }
}

extension Range<Int> {
  fileprivate mutating func removeFirst() { self = lowerBound + 1..<upperBound }
  fileprivate mutating func removeLast() { self = lowerBound..<upperBound - 1 }

  fileprivate mutating func popFirst() -> Int? {
    guard let first else { return nil }
    removeFirst()
    return first
  }

  fileprivate mutating func popLast() -> Int? {
    guard let last else { return nil }
    removeLast()
    return last
  }
}
