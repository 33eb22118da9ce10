import SwiftDataSyncServer
import Synchronization

/// The users of a running server, who are read again after each change of their file.
final class UserTable: Sendable {
  private struct State {
    var users = ServerUsers()
    var stamp: UsersFile.Stamp?
    var isRead = false
  }

  let file: UsersFile
  private let state = Mutex(State())

  init(_ file: UsersFile) { self.file = file }

  /// Returns the present users.
  /// - Throws: `LandmarksError` for a file that can't be used: then nobody's session counts.
  func users() throws -> ServerUsers {
    let stamp = try file.stamp()
    return try state.withLock { state in
      if !state.isRead || state.stamp != stamp {
        state.isRead = false
        (state.users, state.stamp) = try file.read()
        state.isRead = true
      }
      return state.users
    }
  }

  /// Returns what a session of a user has to have: it is another one after the password was changed, or the user was
  /// removed and added.
  /// - Throws: as ``users()``.
  func credential(of user: String) throws -> String? {
    try users().user(user).map { SyncTokens.digestText(of: $0.password.text) }
  }
}
