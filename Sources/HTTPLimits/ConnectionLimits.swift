/// The time limits of a server's waits for the other end of a connection.
///
/// Every wait has an end, so a client that sends nothing, sends a byte from time to time or never reads loses its
/// place.
public struct ConnectionLimits: Hashable, Sendable {
  /// The longest time from a request's head to its end.
  public var request: Duration = .seconds(30)
  /// The longest time that a connection waits for its next request.
  public var idle: Duration = .seconds(60)
  /// The longest time that a connection waits for its next request while all places are taken.
  public var crowdedIdle: Duration = .seconds(5)
  /// The longest time that a response waits for a client that doesn't read.
  public var write: Duration = .seconds(30)
  /// The time during which the remainder of a request is discarded after an early response; then the connection closes.
  public var refused: Duration = .seconds(2)
  /// The maximum number of discarded bytes of such a remainder.
  public var refusedBytes = 256 * 1_024

  /// Creates limits with the defaults.
  public init() {}
}
