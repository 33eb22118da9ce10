import QuakesKit

/// Finds the earthquakes that came since it began, each once, whichever of its identifiers an event has.
struct NewEarthquakes {
  /// The maximum number of identifiers that are kept. Earthquakes whose identifiers were forgotten aren't new any more.
  static let limit = 100_000

  /// The identifiers of earthquakes that came, and whether ``take(_:)`` has given the earthquake.
  private var isTaken: [String: Bool] = [:]
  /// The same identifiers, the oldest first.
  private var order: [String] = []

  /// The number of identifiers that are kept.
  var count: Int { isTaken.count }

  /// Returns the former identifiers of inserted events that are known only to the store.
  func unknown(of inserted: [Event]) -> [String] {
    inserted.flatMap(\.otherIdentifiers).filter { isTaken[$0] == nil }
  }

  /// Records changes.
  /// - Parameters:
  ///   - inserted: The events that came. Those with a former identifier from before this began aren't new.
  ///   - updated: The events that changed, perhaps in their identifiers.
  ///   - replaced: Those of ``unknown(of:)`` whose event the store has as replaced by another one.
  mutating func note(inserted: [Event], updated: [Event], replaced: Set<String>) {
    for event in inserted {
      let others = event.otherIdentifiers
      guard !others.contains(where: { isTaken[$0] == nil && replaced.contains($0) }) else {
        continue
      }
      add([event.id] + others, others.contains { isTaken[$0] == true })
    }
    for event in updated {
      if let isTaken = isTaken[event.id] { add(event.otherIdentifiers, isTaken) }
    }
  }

  /// Returns whether an event's earthquake is new and wasn't given before.
  mutating func take(_ event: Event) -> Bool {
    let known = ([event.id] + event.otherIdentifiers).filter { isTaken[$0] != nil }
    guard isTaken[event.id] == false else { return false }
    let isFirst = known.allSatisfy { isTaken[$0] == false }
    for id in known { isTaken[id] = true }
    return isFirst
  }

  private mutating func add(_ ids: [String], _ isTaken: Bool) {
    for id in ids {
      guard let known = self.isTaken[id] else {
        self.isTaken[id] = isTaken
        order.append(id)
        continue
      }
      self.isTaken[id] = known || isTaken
    }
    guard order.count > Self.limit else { return }
    // Half of them at once: removing one by one would move all others each time.
    for id in order.prefix(order.count - Self.limit / 2) { self.isTaken[id] = nil }
    order.removeFirst(order.count - Self.limit / 2)
  }
}
