import Foundation
import SwiftDataCore
import Synchronization

/// A lock that everybody shares while he reads rows of a store with large values in files, in whatever container and
/// process (flock(2)). A read may see rows that were committed away meanwhile, and has to find their files.
///
/// It goes with the process. Reads of one container share one lock; the first of them takes it, the last gives it back.
final class ReaderLock: Sendable {
  private struct State {
    var descriptor: Int32 = -1
    var readers = 0
  }

  private let path: String
  private let storePath: String
  private let isReadOnly: Bool
  private let state = Mutex(State())
  /// Who removes files has the lock for an instant, so that nobody waits for long but for a stopped process.
  private static let longestWait = 10_000_000
  private static let pause = 200

  /// - Parameter isReadOnly: Whether the lock's file is only used where somebody has made it.
  init(_ path: String, storePath: String, isReadOnly: Bool) {
    self.path = path
    self.storePath = storePath
    self.isReadOnly = isReadOnly
  }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    if descriptor >= 0 { close(descriptor) }
  }

  /// A read begins. To be called before its read transaction. A lock that can't be had, because somebody has removed its
  /// folder, keeps nobody from reading.
  func enter() throws {
    try state.withLock { state in
      if state.readers == 0, open(&state) { try share(state.descriptor) }
      state.readers += 1
    }
  }

  /// A read has ended.
  func leave() {
    state.withLock { state in
      state.readers -= 1
      if state.readers == 0, state.descriptor >= 0 { flock(state.descriptor, LOCK_UN) }
    }
  }

  /// Whether nobody reads at this moment; false when that can't be known. Who begins to read later sees what is committed
  /// now.
  var isFree: Bool {
    state.withLock { state in
      guard state.readers == 0, open(&state) else { return false }
      // Others have to find the same file under the name: its folder may be a link that leads elsewhere now.
      var (held, found) = (stat(), stat())
      guard fstat(state.descriptor, &held) == 0, stat(path, &found) == 0,
        held.st_dev == found.st_dev, held.st_ino == found.st_ino
      else { return false }
      guard flock(state.descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
      flock(state.descriptor, LOCK_UN)
      return true
    }
  }

  /// Makes the lock's file, for those who only read. Its folder has to be there.
  func make() { _ = state.withLock { open(&$0) } }

  private func open(_ state: inout State) -> Bool {
    if state.descriptor >= 0 { return true }
    state.descriptor =
      isReadOnly
      ? Foundation.open(path, O_RDONLY | O_CLOEXEC)
      : Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    return state.descriptor >= 0
  }

  private func share(_ descriptor: Int32) throws {
    var waited = 0
    while flock(descriptor, LOCK_SH | LOCK_NB) != 0 {
      if errno == EINTR { continue }
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
