import Synchronization

/// Counts a server's open connections and holds their maximum number.
public final class ConnectionPlaces: Sendable {
  /// The maximum number of connections; further connections wait for a place.
  package let capacity: Int
  private let taken = Atomic(0)

  /// Creates a counter without open connections.
  /// - Parameter capacity: The maximum number of connections.
  public init(_ capacity: Int) { self.capacity = capacity }

  /// The number of open connections.
  package var count: Int { taken.load(ordering: .relaxed) }

  var isFull: Bool { count >= capacity }

  func enter() { taken.wrappingAdd(1, ordering: .relaxed) }

  func leave() { taken.wrappingSubtract(1, ordering: .relaxed) }
}
