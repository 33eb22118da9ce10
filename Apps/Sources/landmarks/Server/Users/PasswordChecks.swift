import Foundation
import LocalApp
import SwiftDataSyncServer
import Synchronization

/// Compares passwords, which takes long on purpose, away from the threads that answer requests.
final class PasswordChecks: Sendable {
  /// The maximum number of comparisons that wait.
  private static let most = 64
  private let queue: OperationQueue
  private let waiting = Mutex(0)

  init() {
    queue = OperationQueue()
    // Half of the processors stay for requests.
    queue.maxConcurrentOperationCount = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
  }

  /// Returns whether a password is the kept one.
  /// - Throws: ``APIFailure`` 503 when too many wait.
  func matches(_ password: String, _ kept: SyncPassword) async throws(APIFailure) -> Bool {
    let isTaken = waiting.withLock { waiting in
      guard waiting < Self.most else { return false }
      waiting += 1
      return true
    }
    guard isTaken else {
      throw APIFailure(
        .serviceUnavailable, "busy", "Too many users sign in at the same time. Try again soon.",
        retryAfter: 5)
    }
    defer { waiting.withLock { $0 -= 1 } }
    return await withCheckedContinuation { continuation in
      queue.addOperation { continuation.resume(returning: kept.matches(password)) }
    }
  }
}
