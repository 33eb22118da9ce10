import Dispatch
import Foundation

/// A file that is read without making a thread wait: the writer of a pipe may take its time, or never come.
final class FeedFile: Sendable {
  /// The pause between two looks at a pipe that has nothing yet.
  private static let pause = DispatchTimeInterval.milliseconds(10)
  /// Ends the pauses. Those of `Task` would need a thread of the tasks, which saves may block that wait for the import.
  private static let queue = DispatchQueue(label: "LocalCopy.FeedFile")

  private let descriptor: Int32

  /// - Throws: `POSIXError`.
  init(_ url: URL) throws {
    descriptor = open(url.path(percentEncoded: false), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(errno) }
  }

  // Nothing was written, so nothing can be lost by a failure.
  deinit { close(descriptor) }

  /// Nil for pipes and other files of unknown size.
  var size: Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Reads the next piece, once there is one.
  ///
  /// - Returns: At most `count` bytes; nil at the end.
  /// - Throws: `POSIXError`, or `CancellationError`.
  func piece(upTo count: Int) async throws -> [UInt8]? {
    while true {
      try Task.checkCancellation()
      guard try hasBytes() else {
        await Self.letOthersRun(for: Self.pause)
        continue
      }
      var reason: Int32 = 0
      let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
        let result = read(descriptor, buffer.baseAddress, count)
        if result < 0 { reason = errno }
        length = max(result, 0)
      }
      switch reason {
      case 0: return piece.isEmpty ? nil : piece
      case EINTR, EAGAIN: continue
      default: throw Self.failure(reason)
      }
    }
  }

  /// Suspends the task, so that other tasks of its thread run.
  static func letOthersRun(for pause: DispatchTimeInterval = .nanoseconds(0)) async {
    await withCheckedContinuation { continuation in
      queue.asyncAfter(deadline: .now() + pause) { continuation.resume() }
    }
  }

  /// Whether reading gives bytes or the end. A pipe has its end when the last of its writers has closed it; before the
  /// first one has opened it, reading would give an end, too.
  private func hasBytes() throws -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let result = poll(&entry, 1, 0)
    if result < 0, errno != EINTR { throw Self.failure(errno) }
    return result > 0
  }

  private static func failure(_ reason: Int32) -> POSIXError {
    POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO)
  }
}
