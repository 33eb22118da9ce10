import ContentFiles
import Foundation
import SwiftDataCore
import Synchronization

/// A lock shared by all readers of a store with large values in files, in every container and process, while they read
/// rows (flock(2)). A reader may see rows that a later commit has removed, and has to find their files.
///
/// The lock ends with the process. All reads of one container share one lock: the first read takes it, the last
/// releases it.
final class ReaderLock: Sendable {
  private struct State {
    var descriptor: Int32 = -1
    var readers = 0
  }

  private let path: String
  private let storePath: String
  private let isReadOnly: Bool
  private let state = Mutex(State())
  /// The writer that removes files holds the lock only for an instant, so a long wait means a stopped process. In
  /// microseconds.
  private static let longestWait = 10_000_000
  private static let pause = 200

  /// - Parameter isReadOnly: Whether the lock's file is used only where it already exists, and never created.
  init(_ path: String, storePath: String, isReadOnly: Bool) {
    self.path = path
    self.storePath = storePath
    self.isReadOnly = isReadOnly
  }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Begins a read. Call it before the read transaction. If the lock isn't available, because its folder has been
  /// removed, reading proceeds without it.
  func enter() throws {
    try state.withLock { state in
      if state.readers == 0, open(&state) { try share(state.descriptor) }
      state.readers += 1
    }
  }

  /// Ends a read.
  func leave() {
    state.withLock { state in
      state.readers -= 1
      if state.readers == 0, state.descriptor >= 0 { AdvisoryLock.release(state.descriptor) }
    }
  }

  /// Whether no container and no process reads at this moment; false when that can't be determined. A reader that
  /// begins later sees the current commit.
  var isFree: Bool {
    state.withLock { state in
      guard state.readers == 0, open(&state) else { return false }
      // Other processes must find the same file at the path: its folder may be a link that now leads elsewhere.
      var (held, found) = (stat(), stat())
      guard fstat(state.descriptor, &held) == 0, stat(path, &found) == 0,
        held.st_dev == found.st_dev, held.st_ino == found.st_ino
      else { return false }
      guard AdvisoryLock.take(.exclusive, state.descriptor, waits: false) else { return false }
      AdvisoryLock.release(state.descriptor)
      return true
    }
  }

  /// Creates the lock's file for read-only containers. Its folder must exist.
  func make() { _ = state.withLock { open(&$0) } }

  private func open(_ state: inout State) -> Bool {
    if state.descriptor >= 0 { return true }
    // Without waiting: a pipe in its place can be locked, too.
    state.descriptor =
      isReadOnly
      ? Foundation.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      : Foundation.open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0o600)
    return state.descriptor >= 0
  }

  private func share(_ descriptor: Int32) throws {
    var waited = 0
    while !AdvisoryLock.take(.shared, descriptor, waits: false) {
      guard errno == EWOULDBLOCK else { return }
      guard waited < Self.longestWait else {
        throw StoreError(
          .busy, path: storePath,
          explanation: "another program keeps \(path) locked; try again")
      }
      usleep(UInt32(Self.pause))
      waited += Self.pause
    }
  }
}
