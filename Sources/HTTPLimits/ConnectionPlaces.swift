import Synchronization

/// How many connections a server has at the same time, and how many it may have.
package final class ConnectionPlaces: Sendable {
  /// The most connections; more wait for a place.
  package let capacity: Int
  private let taken = Atomic(0)

  /// - Parameter capacity: The most connections.
  package init(_ capacity: Int) { self.capacity = capacity }

  /// How many connections there are.
  package var count: Int { taken.load(ordering: .relaxed) }

  var isFull: Bool { count >= capacity }

  func enter() { taken.wrappingAdd(1, ordering: .relaxed) }

  func leave() { taken.wrappingSubtract(1, ordering: .relaxed) }
}
