import Foundation
import LandmarksKit
import WireFormats

/// The status of the exchange between the device and the server.
struct AppStatus: Hashable, Sendable {
  enum State: String, Sendable {
    /// Nothing has been exchanged since the program started, and nothing failed.
    case idle
    case syncing
    /// The device has everything that the server has.
    case synced
    /// The server doesn't answer; changes wait.
    case offline
    /// The user has switched the exchange off; changes wait.
    case off
    /// The server doesn't accept the token, or its answers can't be used; the user has to act.
    case paused
  }

  var state: State
  /// The time at which the server last sent or confirmed the landmarks; nil if it never did.
  var lastUpdated: Date?
  /// The number of waiting changes.
  var pending: Int
  /// A description of the problem, safe to show.
  var message: String?
  var server: String
  var signIn: SignIn
  /// The user who is signed in, or whose data the store has; nil where it isn't known.
  var user: String?
  /// The time at which the server was last found to go on with an older copy of its data, since the program started.
  var restored: Date?

  enum SignIn: String, Sendable {
    /// A token was given to the program.
    case token
    case signedIn
    case signedOut
    /// The server doesn't accept the session any more.
    case ended

    init(_ state: DeviceAccount.State) {
      self =
        switch state {
        case .token: .token
        case .signedIn: .signedIn
        case .signedOut: .signedOut
        }
    }
  }
}

extension JSONWriter {
  /// - Parameter waiting: The waiting changes, for a list of them; nil leaves it out.
  mutating func status(_ status: AppStatus, _ waiting: [WaitingChange]? = nil) {
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
    raw(#","signIn":"#)
    string(status.signIn.rawValue)
    raw(#","user":"#)
    string(status.user)
    // A list is for a command, which has exchanged nothing before.
    if let waiting {
      raw(#","waiting":"#)
      list(waiting) { $0.waitingChange($1) }
    } else {
      raw(#","restored":"#)
      time(status.restored)
    }
    raw("}")
  }
}
