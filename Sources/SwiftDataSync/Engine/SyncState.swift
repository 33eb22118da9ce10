import Foundation

/// What an engine does and how far it is.
public struct SyncState: Hashable, Sendable {
  /// What an engine does.
  public enum Activity: Hashable, Sendable {
    /// It waits for edits, or for the time of the next pull.
    case idle
    case pushing
    case pulling
    /// The server can't be reached; the next attempt follows by itself.
    case offline
    /// The server had trouble, or asked for patience; the next attempt follows by itself.
    case waiting(String)
    /// Nothing happens until ``SyncEngine/resume()``.
    case paused(PauseReason)
  }

  /// Why an engine is paused.
  public enum PauseReason: Hashable, Sendable {
    /// ``SyncEngine/pause()`` was called.
    case requested
    /// The server wants other credentials.
    case authentication
    /// Anything else that can't mend itself, as a sentence.
    case failure(String)
  }

  public var activity: Activity
  /// How many models have edits that the server hasn't acknowledged, without those that were set aside.
  public var pendingCount: Int
  /// How many models' edits were set aside, see ``SyncEngine/unsynced()``.
  public var parkedCount: Int
  /// When the server last acknowledged an edit, by entity.
  public var lastPush: [String: Date]
  /// When all of the server's news had last been taken.
  public var lastPull: Date?
  /// The attachment that is on its way.
  public var transfer: SyncTransfer?

  public init(
    activity: Activity, pendingCount: Int = 0, parkedCount: Int = 0, lastPush: [String: Date] = [:],
    lastPull: Date? = nil, transfer: SyncTransfer? = nil
  ) {
    self.activity = activity
    self.pendingCount = pendingCount
    self.parkedCount = parkedCount
    self.lastPush = lastPush
    self.lastPull = lastPull
    self.transfer = transfer
  }
}

/// Why a model is, or isn't, on the server as it is here.
public enum SyncStanding: Hashable, Sendable {
  /// The server has it in this version.
  case synced(version: Int64)
  /// Its edits wait for their turn.
  case pending
  /// Its edits were sent; the answer is to come.
  case underWay
  /// Its edits were set aside, or what the server has of it.
  case parked(SyncParking)
  /// There is no such model, here or there, as far as this store knows.
  case unknown
}
