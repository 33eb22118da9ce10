import Foundation
import HTTPTypes
import LocalApp
import SwiftDataSyncServer

/// The sign-in of a server: its users, and the limits on attempts.
struct SignIn: Sendable {
  let users: UserTable
  let limits: SignInLimits
  let now: @Sendable () -> Date
  /// Whether clients on this machine have no limit of their address: a proxy there speaks for everybody.
  var trustsThisMachine = true
  private let checks = PasswordChecks()

  /// - Parameters:
  ///   - file: The file of the users.
  ///   - limits: The limits; nil takes the usual ones.
  ///   - now: The clock of limits and sessions.
  init(
    _ file: UsersFile, limits: SignInLimits? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    users = UserTable(file)
    self.limits = limits ?? SignInLimits(now: now)
    self.now = now
  }

  /// Checks a user's password.
  /// - Parameter address: The client's address, without its port; nil where it isn't known.
  /// - Returns: The user's name in the spelling of the file, and what a session has to have.
  /// - Throws: ``APIFailure`` 401, 429 or 503, `LandmarksError` for a file of users that can't be used.
  func check(
    _ name: String, _ password: String, from address: String?
  ) async throws -> (user: String, credential: String) {
    // Names that nobody can have share one limit.
    let name = ServerUsers.name(name) ?? ""
    let client = trustsThisMachine && Self.isHere(address) ? nil : address
    if let wait = limits.take(name, from: client) {
      throw APIFailure(
        .tooManyRequests, "too_many_attempts",
        "Too many attempts to sign in. Try again in \(Self.words(wait)).", retryAfter: wait)
    }
    let known: (name: String, password: SyncPassword)?
    let isRight: Bool
    do {
      known = try users.users().user(name)
      isRight = try await checks.matches(password, known?.password ?? SyncPassword.dummy)
    } catch {
      // Nothing was learnt about the password.
      limits.giveBack(name, from: client)
      throw error
    }
    guard let known, isRight else {
      throw APIFailure(.unauthorized, "wrong_password", "The name or the password is wrong.")
    }
    limits.giveBack(name, from: client)
    return (known.name, SyncTokens.digestText(of: known.password.text))
  }

  private static func isHere(_ address: String?) -> Bool {
    guard let address else { return true }
    return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
  }

  private static func words(_ seconds: Int) -> String {
    if seconds < 120 { return seconds == 1 ? "a second" : "\(seconds) seconds" }
    return "\((seconds + 59) / 60) minutes"
  }
}
