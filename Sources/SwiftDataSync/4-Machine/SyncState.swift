import Foundation

/// The activity of an engine and its progress.
public struct SyncState: Hashable, Sendable {
  /// The activity of an engine.
  public enum Activity: Hashable, Sendable {
    /// The engine waits for edits, or for the next pull.
    case idle
    /// Edits are being sent.
    case pushing
    /// Changes are being fetched.
    case pulling
    /// The server can't be reached; the engine retries automatically.
    case offline
    /// The server had a problem or asked for a pause; the engine retries automatically.
    case waiting(String)
    /// The engine does nothing until ``SyncEngine/resume()``.
    case paused(PauseReason)
  }

  /// The reason why an engine is paused.
  public enum PauseReason: Hashable, Sendable {
    /// ``SyncEngine/pause()`` was called.
    case requested
    /// The server requires other credentials.
    case authentication
    /// Another problem that can't resolve itself, as a sentence.
    case failure(String)
  }

  /// The engine's current activity.
  public var activity: Activity
  /// The number of models with edits that the server hasn't acknowledged, without quarantined edits.
  public var pendingCount: Int
  /// The number of models with quarantined edits, see ``SyncEngine/unsynced()``.
  public var quarantinedCount: Int
  /// The number of objects whose states the server may have lost, since the engine was created, see
  /// ``SyncReport/restored``.
  public var restoredCount: Int
  /// The times at which the server last acknowledged an edit, by entity.
  public var lastPush: [String: Date]
  /// The time at which all of the server's changes had last been fetched.
  public var lastPull: Date?
  /// The attachment that is being transferred.
  public var transfer: SyncTransfer?

  /// Creates a state.
  public init(
    activity: Activity, pendingCount: Int = 0, quarantinedCount: Int = 0, restoredCount: Int = 0,
    lastPush: [String: Date] = [:], lastPull: Date? = nil, transfer: SyncTransfer? = nil
  ) {
    self.activity = activity
    self.pendingCount = pendingCount
    self.quarantinedCount = quarantinedCount
    self.restoredCount = restoredCount
    self.lastPush = lastPush
    self.lastPull = lastPull
    self.transfer = transfer
  }
}

/// The sync state of a model: whether the server has it as it is here, and if not, the reason.
public enum SyncObjectStatus: Hashable, Sendable {
  /// The server has this version of the model.
  case synced(version: Int64)
  /// The model's edits wait to be sent.
  case pending
  /// The model's edits were sent; the response is pending.
  case underWay
  /// The model's edits, or the server's changes of it, are quarantined.
  case quarantined(SyncQuarantine)
  /// No such model is known to this store, locally or on the server.
  case unknown
}
