import Foundation

/// The connection of an engine to its server.
///
/// Both calls may be repeated with the same arguments; ``SyncChange/id`` prevents a change from being applied twice. An
/// engine makes one call at a time. It requests the next page while it stores the last one, so a call whose result is
/// no longer needed may be cancelled, and an older cursor may be sent again.
public protocol SyncTransport: Sendable {
  /// Sends changes, in order: parents before their children, deletions last. A server stores the changes that it
  /// accepts in one transaction.
  ///
  /// - Parameters:
  ///   - changes: The changes, at most as many as the engine's configuration allows.
  ///   - client: The identifier of the local store, which never changes.
  /// - Returns: The outcome of each change, by its ID. A change without an outcome is sent again.
  /// - Throws: ``SyncFailure``; any other error counts as ``SyncFailure/Kind/offline``. A transport that sends changes
  ///   one by one says with ``SyncFailure/outcomes`` and ``SyncFailure/unanswered`` how far it came.
  func push(_ changes: [SyncChange], client: String) async throws -> [String: SyncOutcome]

  /// Requests changes.
  ///
  /// - Parameters:
  ///   - cursor: The end of the last page; nil for everything from the beginning.
  ///   - client: The identifier of the local store.
  /// - Throws: ``SyncFailure``; any other error counts as ``SyncFailure/Kind/offline``.
  func pull(after cursor: String?, client: String) async throws -> SyncPage
}

/// The reason why an exchange with the server failed as a whole.
public struct SyncFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a failure, which determines the engine's reaction.
  public enum Kind: Hashable, Sendable {
    /// The server can't be reached: the engine retries after a growing pause, and immediately when the network comes
    /// back.
    case offline
    /// The server has an internal problem (500, and every status without a kind of its own), or redirects: the engine
    /// retries after a growing pause.
    case server
    /// The server asks for a pause (429, or 503 with `Retry-After`): the engine retries after it.
    case throttled(after: Duration)
    /// The credentials are invalid (401): the engine pauses until it gets others.
    case authentication
    /// The user may not do this (403): the engine pauses.
    case forbidden
    /// The request is too large (413): the engine divides it.
    case tooLarge
    /// The server can't process the request (400, 404, 405, 415, 422): the engine divides it until it finds the change
    /// at fault, which it quarantines.
    case refused
    /// The cursor is no longer valid (410): the engine fetches everything again; local edits are kept.
    case cursorExpired
    /// The server uses another version of the contract (426, 505): the engine pauses.
    case incompatible
    /// The program has paused or stopped the engine before everything was exchanged.
    case suspended
    /// The local store can't be read or written: the engine pauses.
    case localStore
  }

  /// The kind of failure.
  public var kind: Kind
  /// A sentence for users, without values of properties.
  public var message: String
  /// Whether the request certainly never reached the server, for example because no connection was made. Then no
  /// response is pending, and an edit that is undone in the meantime needn't be sent.
  public var isUnsent: Bool
  /// For a push that failed after a part of it was answered: the outcomes of that part, by the IDs of the changes. They
  /// count as if the push had returned them, and the engine goes on with the remaining changes.
  public var outcomes: [String: SyncOutcome] = [:]
  /// For a failed push: the IDs of the changes that may have reached the server without an answer; nil for all changes
  /// without an outcome. The others were never sent.
  public var unanswered: Set<String>?

  /// Creates a failure.
  public init(_ kind: Kind, _ message: String, isUnsent: Bool = false) {
    self.kind = kind
    self.message = message
    self.isUnsent = isUnsent
  }

  public var description: String { message }
}

extension SyncFailure: LocalizedError {
  /// The text of ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
