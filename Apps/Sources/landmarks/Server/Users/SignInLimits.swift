import Foundation
import Synchronization

/// Limits on failed attempts to sign in, for each user name and each address of a client.
///
/// Each has a number of attempts, which come back one after the other. Kept is only the time at which all of them are
/// back (the generic cell rate algorithm of ITU-T I.371), for a bounded number of names and addresses.
final class SignInLimits: Sendable {
  struct Rule: Hashable, Sendable {
    /// The number of attempts.
    var attempts: Double
    /// The time in seconds after which one comes back.
    var pause: Double

    /// Returns the latest time at which all attempts can be back.
    func latest(_ now: Date) -> Date { now.addingTimeInterval(attempts * pause) }
  }

  private struct State {
    var users: [String: Date] = [:]
    var addresses: [String: Date] = [:]
  }

  private let user: Rule
  private let address: Rule
  private let most: Int
  private let now: @Sendable () -> Date
  private let state = Mutex(State())

  /// - Parameters:
  ///   - user: The rule for each name.
  ///   - address: The rule for each address.
  ///   - most: The maximum number of names, and of addresses, that are kept.
  ///   - now: The clock.
  init(
    user: Rule = Rule(attempts: 10, pause: 60), address: Rule = Rule(attempts: 50, pause: 20),
    most: Int = 10_000, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.user = user
    self.address = address
    self.most = most
    self.now = now
  }

  /// Takes an attempt.
  /// - Parameters:
  ///   - name: The user's name.
  ///   - client: The client's address; nil isn't limited.
  /// - Returns: nil when the attempt may be made, else the time in seconds until one may be, rounded up.
  func take(_ name: String, from client: String?) -> Int? {
    let now = now()
    return state.withLock { state in
      let (ofUser, wait) = Self.next(state.users[name], user, now)
      let (ofAddress, otherWait) =
        client.map { Self.next(state.addresses[$0], address, now) } ?? (now, 0)
      let longest = max(wait, otherWait)
      guard longest <= 0 else {
        // A clock that was set back must not block for longer than the rules do.
        state.users[name] = state.users[name].map { min($0, user.latest(now)) }
        if let client {
          state.addresses[client] = state.addresses[client].map { min($0, address.latest(now)) }
        }
        return max(1, Int(longest.rounded(.up)))
      }
      state.users[name] = ofUser
      if let client { state.addresses[client] = ofAddress }
      Self.forget(&state.users, most, now)
      Self.forget(&state.addresses, most, now)
      return nil
    }
  }

  /// Gives back an attempt that was no failure.
  func giveBack(_ name: String, from client: String?) {
    state.withLock { state in
      state.users[name]?.addTimeInterval(-user.pause)
      if let client { state.addresses[client]?.addTimeInterval(-address.pause) }
    }
  }

  /// The number of names and addresses that are kept.
  var count: Int { state.withLock { $0.users.count + $0.addresses.count } }

  /// Returns the time at which all attempts are back after another one, and how long it is too early for that.
  private static func next(
    _ known: Date?, _ rule: Rule, _ now: Date
  ) -> (complete: Date, wait: Double) {
    let latest = rule.latest(now)
    let from = min(max(known ?? now, now), latest)
    let complete = from.addingTimeInterval(rule.pause)
    return (complete, complete.timeIntervalSince(latest))
  }

  /// Forgets what has all attempts, and of too many the ones with the fewest failures.
  private static func forget(_ times: inout [String: Date], _ most: Int, _ now: Date) {
    guard times.count > most else { return }
    times = times.filter { $0.value > now }
    guard times.count > most else { return }
    let kept = times.sorted { $0.value > $1.value }.prefix(most * 3 / 4)
    times = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
