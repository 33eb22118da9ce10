import Foundation

/// The place that locks open files against other processes, and against other descriptors of this one (flock(2)). A
/// lock ends with its descriptor.
package enum AdvisoryLock {
  package enum Kind: Sendable {
    case shared, exclusive
  }

  /// Takes a lock, or changes the kind of one: then it may be lost on failure.
  ///
  /// - Parameter waits: Whether the call waits for others that hold the lock.
  /// - Returns: False on failure; `errno` has the reason, `EWOULDBLOCK` when others hold the lock.
  package static func take(_ kind: Kind, _ descriptor: Int32, waits: Bool = true) -> Bool {
    let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)
    while flock(descriptor, operation) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  package static func release(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }
}
