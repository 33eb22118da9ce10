/// How an engine reaches its server.
///
/// Both calls may be repeated with the same arguments; ``SyncChange/id`` keeps a change from being done twice. An engine makes
/// one call at a time. The next page is asked for while the last one is stored, so a call may be cancelled whose answer isn't
/// wanted any more, and an older cursor may come again.
public protocol SyncTransport: Sendable {
  /// Hands changes over, in order: parents come before their children, deletions last. A server stores those that it
  /// accepts in one transaction.
  ///
  /// - Parameters:
  ///   - changes: At most as many as the engine's configuration says.
  ///   - client: Names the local store, the same for all its life.
  /// - Returns: What became of each change, by its id. A change without an answer is sent again.
  /// - Throws: ``SyncFailure``; any other error counts as ``SyncFailure/Kind/offline``.
  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome]

  /// Asks for changes.
  ///
  /// - Parameters:
  ///   - cursor: Where the last page ended; nil for everything from the beginning.
  ///   - client: Names the local store.
  /// - Throws: ``SyncFailure``; any other error counts as ``SyncFailure/Kind/offline``.
  func pull(after cursor: String?, client: String) async throws -> SyncPage
}

/// Why an exchange with the server failed as a whole.
public struct SyncFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What follows from a failure.
  public enum Kind: Hashable, Sendable {
    /// The server can't be reached: again after a growing pause, and at once when the network comes back.
    case offline
    /// The server has trouble of its own (408, 500, 502–504): again after a growing pause.
    case server
    /// The server asks for patience (429, `Retry-After`): again after so long.
    case throttled(after: Duration)
    /// The credentials aren't good (401): the engine pauses until it gets others.
    case authentication
    /// The user may not do this (403): the engine pauses.
    case forbidden
    /// The request is too large (413): it is divided.
    case tooLarge
    /// The server can't make sense of the request (400, 422): it is divided until the change that is at fault is
    /// found, which is parked.
    case refused
    /// The cursor is worth nothing any more (410): everything is fetched anew; local edits stay.
    case cursorExpired
    /// The server speaks another version of the contract: the engine pauses.
    case incompatible
  }

  public var kind: Kind
  /// A sentence for people, without values of properties.
  public var message: String
  /// Whether the request surely never reached the server, as when no connection was made. Then nobody waits for an
  /// answer to it: an edit that is taken back meanwhile is none.
  public var isUnsent: Bool

  public init(_ kind: Kind, _ message: String, isUnsent: Bool = false) {
    self.kind = kind
    self.message = message
    self.isUnsent = isUnsent
  }

  public var description: String { message }
}
