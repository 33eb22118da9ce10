import ContentFiles
import Foundation
import SwiftDataCore
import Synchronization

/// A lock that every writer of a store shares for as long as it has the store open (flock(2)), so that a writer can
/// find out whether it is the only one.
final class FileLock: Sendable {
  private let descriptor: Int32
  private let storePath: String

  init(_ path: String, storePath: String) throws {
    self.storePath = storePath
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path, storePath) }
    guard AdvisoryLock.take(.shared, descriptor) else {
      let error = Self.failure(path, storePath)
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  private static func failure(_ path: String, _ storePath: String) -> StoreError {
    StoreError(
      .inputOutput, path: storePath,
      explanation: "\(path) can't be locked: \(String(cString: strerror(errno)))")
  }

  /// Runs `body` if no other process or container holds the lock; others wait until it has returned.
  func withExclusiveAccess(_ body: () throws -> Void) throws {
    guard AdvisoryLock.take(.exclusive, descriptor, waits: false) else {
      // A failed conversion may have lost the shared lock.
      guard AdvisoryLock.take(.shared, descriptor) else {
        throw Self.failure("The lock", storePath)
      }
      return
    }
    defer { _ = AdvisoryLock.take(.shared, descriptor) }
    try body()
  }
}
