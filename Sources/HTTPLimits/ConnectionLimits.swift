/// How long a server waits for the other end of a connection.
///
/// Every wait has an end, so a client that sends nothing, or a byte now and then, or never reads, loses its place.
package struct ConnectionLimits: Hashable, Sendable {
  /// The longest time from a request's head to its end.
  package var request: Duration = .seconds(30)
  /// The longest time that a connection waits for its next request.
  package var idle: Duration = .seconds(60)
  /// The same while all places are taken.
  package var crowdedIdle: Duration = .seconds(5)
  /// The longest time that an answer waits for a client that doesn't read.
  package var write: Duration = .seconds(30)
  /// How long the rest of a request is thrown away that was answered before its end; then the connection is closed.
  package var refused: Duration = .seconds(2)
  /// How many bytes of such a rest are thrown away at most.
  package var refusedBytes = 256 * 1_024

  package init() {}
}
