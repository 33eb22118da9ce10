import Foundation
import HTTPContent

/// How the device stands to the server.
struct AppStatus: Hashable, Sendable {
  enum State: String, Sendable {
    /// Nothing has been exchanged since the program started, and nothing failed.
    case waiting
    case syncing
    /// All that the server has is here.
    case synced
    /// The server doesn't answer; changes wait.
    case offline
    /// The server doesn't accept the token, or answers what can't be used; somebody has to act.
    case paused
  }

  var state: State
  /// When the server last gave or confirmed the landmarks; nil when it never did.
  var lastUpdated: Date?
  /// How many changes wait.
  var pending: Int
  /// What is wrong, safe to show.
  var message: String?
  var server: String
}

extension JSONBytes {
  /// Appends a time as milliseconds since 1970, or `null`.
  mutating func time(_ date: Date?) {
    integer(date.map { Int(($0.timeIntervalSince1970 * 1_000).rounded()) })
  }

  mutating func status(_ status: AppStatus) {
    raw(#"{"state":"#)
    string(status.state.rawValue)
    raw(#","lastUpdated":"#)
    time(status.lastUpdated)
    raw(#","pending":"#)
    integer(status.pending)
    raw(#","message":"#)
    string(status.message)
    raw(#","server":"#)
    string(status.server)
    raw("}")
  }
}
